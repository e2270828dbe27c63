//! Damage to inputs: always the same for the same number.

/// Text that readers of numbers and names stumble over.
const WORDS: [&str; 20] = [
    "-1", "0", "1e999", "-1e-320", "NaN", "inf", "4294967296", "18446744073709551616", "99999999", "[", "]]", "{", "}",
    "\"", "\\", "\n", "\r\n", "\0", "=", ",",
];

/// A small generator (xorshift64*).
pub struct Random(u64);

impl Random {
    /// A generator that depends on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
    }
}

/// Damages an input in one to four places.
pub fn mutated(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at.min(end)..end)),
            2 => {
                let copy = bytes[at.min(end)..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            3 | 4 => {
                let word = WORDS[random.below(WORDS.len())].bytes();
                bytes.splice(at.min(end)..end, word);
            }
            5 => {
                let number = [0u32, 1, 0x7FFF_FFFF, 0x8000_0000, u32::MAX][random.below(5)].to_le_bytes();
                bytes.iter_mut().skip(at).zip(number).for_each(|(byte, new)| *byte = new);
            }
            6 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.below(256) as u8),
        }
    }
    bytes
}
