//! A driver for the targets on the stable toolchain: changes seeds at random, keeps what is accepted as new seeds, and stops
//! at the first input that breaks a promise.

use hodgelet_fuzz::mutate::mutated;
use hodgelet_fuzz::seeds;
use hodgelet_fuzz::targets::{ALL, Target};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Inputs kept as seeds beside the first ones.
const MAX_KEPT: usize = 512;
/// Longest time that one input may take, in a build without optimization.
const SLOW: Duration = Duration::from_secs(20);

const USAGE: &str =
    "usage: drive [--seconds S] [--seed N] [TARGET...]: fuzzes each target for S seconds (10)";

struct Options {
    seconds: f64,
    seed: u64,
    targets: Vec<String>,
}

fn options() -> Option<Options> {
    let mut found = Options { seconds: 10.0, seed: 0, targets: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => found.seconds = arguments.next()?.parse().ok()?,
            "--seed" => found.seed = arguments.next()?.parse().ok()?,
            name if ALL.iter().any(|(known, _)| *known == name) => found.targets.push(argument),
            _ => return None,
        }
    }
    Some(found)
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        let names: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
        eprintln!("{USAGE}\ntargets: {}", names.join(", "));
        return ExitCode::from(2);
    };
    let is_wanted =
        |name: &str| options.targets.is_empty() || options.targets.iter().any(|wanted| wanted == name);
    let (mut total, mut failed) = (0, false);
    for (name, target) in ALL.into_iter().filter(|(name, _)| is_wanted(name)) {
        match fuzz(name, target, &options) {
            Ok(inputs) => total += inputs,
            Err(message) => {
                eprintln!("{name}: {message}");
                failed = true;
            }
        }
    }
    println!("{total} inputs fuzzed");
    ExitCode::from(u8::from(failed))
}

/// Fuzzes a target for its time; returns the number of inputs.
fn fuzz(name: &str, target: Target, options: &Options) -> Result<u64, String> {
    let mut pool = seeds::of(name).map_err(|error| error.to_string())?;
    let n_seeds = pool.len();
    for seed in pool.clone() {
        try_one(name, target, &seed)?;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let end = Instant::now() + Duration::from_secs_f64(options.seconds);
    let (mut inputs, mut accepted) = (n_seeds as u64, 0u64);
    while Instant::now() < end {
        let (seed, other) = (rng.random_range(0..pool.len()), rng.random_range(0..pool.len()));
        let input = mutated(&mut rng, &pool[seed], &pool[other]);
        inputs += 1;
        if !try_one(name, target, &input)? {
            continue;
        }
        accepted += 1;
        match pool.len() < n_seeds + MAX_KEPT {
            true => pool.push(input),
            // Old ones go by chance; the first seeds stay.
            false => {
                let at = rng.random_range(n_seeds..pool.len());
                pool[at] = input;
            }
        }
    }
    println!("{name}: {inputs} inputs, {accepted} accepted");
    Ok(inputs)
}

/// Whether an input is accepted; keeps one that breaks a promise in a file.
fn try_one(name: &str, target: Target, input: &[u8]) -> Result<bool, String> {
    let began = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| target(input)));
    let fault = match result {
        Ok(_) if began.elapsed() > SLOW => format!("takes {:?}", began.elapsed()),
        Ok(accepted) => return Ok(accepted),
        Err(_) => "panics".to_owned(),
    };
    let folder = seeds::root().join("found");
    let path = folder.join(format!("{name}-{}", input.len()));
    let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, input));
    let place = if kept.is_ok() { path.display().to_string() } else { format!("{input:?}") };
    Err(format!("an input {fault}: {place}; once it is mended, move it to fuzz/regressions/{name}"))
}
