//! How much memory the process has taken.

/// Largest resident memory of this process so far, in MB of 10⁶ bytes; `None` where the system does not tell
/// (anything but Linux).
#[must_use]
pub fn peak_memory_mb() -> Option<f64> {
    high_water_mark(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The field `VmHWM` of a process status, which the kernel gives in units of 1024 bytes.
fn high_water_mark(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib as f64 * 1024.0 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read_in_units_of_1024_bytes() {
        let status = "Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t  125000 kB\nVmRSS:\t 3 kB\n";
        assert_eq!(high_water_mark(status), Some(128.0));
        assert_eq!(high_water_mark("VmRSS:\t 3 kB\n"), None);
        assert_eq!(high_water_mark("VmHWM:\t many kB\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn touching_memory_raises_the_peak() {
        let before = peak_memory_mb().unwrap();
        let touched = std::hint::black_box(vec![1u8; 64 << 20]);
        let after = peak_memory_mb().unwrap();
        assert!(after >= 67.0 && after >= before, "{before} then {after} with {} bytes", touched.len());
    }
}
