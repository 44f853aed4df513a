//! The Mersenne Twister MT19937 as NumPy's `RandomState` seeds it and shuffles with it.
//!
//! Published splits were drawn with this generator, so the same ones need the same stream. Nothing else in
//! this project draws from it.
//!
//! Matsumoto & Nishimura, *Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number
//! generator*, ACM TOMACS 8 (1998); the seeding is the authors' of 2002.

const N: usize = 624; // words of state
const M: usize = 397; // offset of the recurrence

/// The generator: its words, and the next one to hand out.
pub(crate) struct Mersenne {
    state: [u32; N],
    next: usize,
}

impl Mersenne {
    /// The stream of `numpy.random.RandomState(seed)`.
    pub(crate) fn new(seed: u32) -> Self {
        let mut state = [seed; N];
        for i in 1..N {
            let last = state[i - 1];
            state[i] = 1_812_433_253u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i as u32);
        }
        Self { state, next: N }
    }

    /// The next 32 bits.
    pub(crate) fn word(&mut self) -> u32 {
        if self.next == N {
            self.refill();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// All words one recurrence further.
    fn refill(&mut self) {
        for i in 0..N {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
            let twist = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ twist;
        }
        self.next = 0;
    }

    /// A number in `0..=max`, by rejection under the smallest mask of ones that covers `max`.
    fn up_to(&mut self, max: u64) -> u64 {
        if max == 0 {
            return 0; // without a draw
        }
        let mask = u64::MAX >> max.leading_zeros();
        loop {
            let value = mask & if max <= u64::from(u32::MAX) { u64::from(self.word()) } else { self.long() };
            if value <= max {
                return value;
            }
        }
    }

    /// The next 64 bits, high word first.
    fn long(&mut self) -> u64 {
        let high = u64::from(self.word());
        (high << 32) | u64::from(self.word())
    }

    /// `RandomState.shuffle`: each place from the last down swaps with one at or before it.
    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            let j = self.up_to(i as u64) as usize;
            values.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct File {
        generator: Vec<Stream>,
    }

    #[derive(Deserialize)]
    struct Stream {
        seed: u32,
        words: [u32; 6], // at 0, 1, 2, 623, 624, 1299
        shuffled: Vec<usize>,
    }

    #[test]
    fn words_and_shuffles_are_numpys() {
        let text = include_str!("../../../../testdata/sklearn/splits.json");
        let file: File = serde_json::from_str(text).unwrap();
        assert_eq!(file.generator.len(), 4);
        for stream in file.generator {
            let mut generator = Mersenne::new(stream.seed);
            let words: Vec<u32> = (0..1300).map(|_| generator.word()).collect();
            assert_eq!([0, 1, 2, 623, 624, 1299].map(|i| words[i]), stream.words, "seed {}", stream.seed);

            let mut order: Vec<usize> = (0..100).collect();
            Mersenne::new(stream.seed).shuffle(&mut order);
            assert_eq!(order, stream.shuffled, "seed {}", stream.seed);
        }
    }

    #[test]
    fn the_ten_thousandth_word_is_the_published_one() {
        // the C++ standard states it for the default seed 5489
        let mut generator = Mersenne::new(5489);
        assert_eq!((0..10_000).map(|_| generator.word()).last(), Some(4_123_659_995));
    }

    #[test]
    fn draws_stay_within_their_bound_on_both_sides_of_32_bits() {
        let mut generator = Mersenne::new(3);
        for max in [0, 1, 2, 5, 1 << 31, u64::from(u32::MAX), 1 << 32, 3 << 40, u64::MAX] {
            assert!((0..50).all(|_| generator.up_to(max) <= max), "max {max}");
        }
    }
}
