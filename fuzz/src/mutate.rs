//! Random changes to inputs.

use rand::{Rng, RngExt};

/// Pieces that break readers more often than random bytes do.
const PIECES: [&[u8]; 32] = [
    b"0",
    b"-1",
    b"+",
    b"0.5",
    b"99999999999",
    b"4294967296",
    b"9007199254740993.0",
    b"nan",
    b"inf",
    b"1e999",
    b"1e300",
    b"1e-320",
    b"-0.0",
    b",",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\0",
    b"\"",
    b"[",
    b"]",
    b"{}",
    b"null",
    b"<",
    b"&",
    b"</graph>",
    b"\"a\":1,",
    b"true",
    b"\x1b[2J",
    b"PK\x05\x06",
];

/// Longest input that is made.
const LONGEST: usize = 1 << 17;

/// `seed` after one to four random changes; some take a piece of `other`.
pub fn mutated(rng: &mut impl Rng, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..=bytes.len());
        let end = (at + rng.random_range(0..12)).min(bytes.len());
        let piece = PIECES[rng.random_range(0..PIECES.len())];
        match rng.random_range(0..9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = rng.random(),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = rng.random_range(0..=bytes.len());
                bytes.splice(to..to, copy);
            }
            4 => bytes.truncate(at),
            5 => drop(bytes.splice(at..at, piece.iter().copied())),
            6 => drop(bytes.splice(at..end, piece.iter().copied())),
            7 => number(rng, &mut bytes, at),
            _ if !other.is_empty() => {
                let from = rng.random_range(0..other.len());
                let to = (from + rng.random_range(1..64)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            _ => {}
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Replaces the next number after `at` by another: grammars of text are kept, and meanings are not.
fn number(rng: &mut impl Rng, bytes: &mut Vec<u8>, at: usize) {
    let Some(start) = (at..bytes.len()).find(|&i| bytes[i].is_ascii_digit()) else { return };
    let end = (start..bytes.len()).find(|&i| !bytes[i].is_ascii_digit()).unwrap_or(bytes.len());
    let new = match rng.random_range(0..4) {
        0 => rng.random_range(0..10u64).to_string(),
        1 => rng.random::<u32>().to_string(),
        2 => format!("{}e{}", rng.random_range(0..10), rng.random_range(-330..310)),
        _ => format!("{}.{}", rng.random_range(0..100), rng.random_range(0..100)),
    };
    bytes.splice(start..end, new.into_bytes());
}
