//! Numbers that look random and are the same on every machine.

/// A small generator of random numbers. The same seed always gives the same numbers.
///
/// ```
/// use unstick_grid::Random;
///
/// let mut random = Random::new(7);
/// let (number, index) = (random.between(-1.0, 1.0), random.index(3));
/// assert!((-1.0..1.0).contains(&number) && index < 3);
/// assert_eq!(Random::new(7).between(-1.0, 1.0), number);
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    next: Next,
}

/// How the next number is made.
#[derive(Clone, Copy, Debug)]
enum Next {
    SplitMix,
    Congruential,
}

impl Random {
    /// SplitMix64 [Steele, Lea and Flood 2014]: the generator to use.
    pub fn new(seed: u64) -> Self {
        Self { state: seed, next: Next::SplitMix }
    }

    /// A linear congruential generator with the constants of PCG [O'Neill 2014]. Its upper bits are good enough for the
    /// placement of bodies, and scenes keep the placements that they have always had.
    pub fn congruential(state: u64) -> Self {
        Self { state, next: Next::Congruential }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        match self.next {
            Next::SplitMix => {
                let bits = mix(self.state);
                self.state = self.state.wrapping_add(GOLDEN);
                bits
            }
            Next::Congruential => {
                self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                self.state
            }
        }
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        to_unit(self.bits())
    }

    /// Uniform in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// One of 0..count.
    pub fn index(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// True with a probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number in [0, 1) that depends on the seed and the parts alone, and on nothing that was drawn before.
    pub fn hash(seed: u64, parts: impl IntoIterator<Item = u64>) -> f64 {
        to_unit(parts.into_iter().fold(seed, |state, part| mix(state ^ part)))
    }
}

/// 2⁶⁴ over the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step of SplitMix64.
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(GOLDEN);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The upper 53 bits, as a number in [0, 1).
fn to_unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn both_generators_fill_the_interval_evenly() {
        for mut random in [Random::new(1), Random::congruential(1)] {
            let mut counts = [0; 10];
            (0..10_000).for_each(|_| counts[random.index(10)] += 1);
            assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        }
    }

    #[test]
    fn a_hash_depends_on_every_part_and_its_place() {
        let numbers = [Random::hash(0, [1, 2]), Random::hash(0, [2, 1]), Random::hash(1, [1, 2]), Random::hash(0, [1])];
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        assert!((1..4).all(|one| (0..one).all(|other| numbers[one] != numbers[other])), "{numbers:?}");
    }
}
