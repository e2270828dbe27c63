//! Damage to inputs: always the same for the same number.

use unstick::grid::Random;

/// Text that readers of numbers and names stumble over.
const WORDS: [&str; 20] = [
    "-1",
    "0",
    "1e999",
    "-1e-320",
    "NaN",
    "inf",
    "4294967296",
    "18446744073709551616",
    "99999999",
    "[",
    "]]",
    "{",
    "}",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\0",
    "=",
    ",",
];

/// Damages an input in one to four places.
pub fn mutated(input: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..1 + random.index(4) {
        let at = random.index(bytes.len().max(1));
        let end = (at + 1 + random.index(16)).min(bytes.len());
        match random.index(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at.min(end)..end)),
            2 => {
                let copy = bytes[at.min(end)..end].to_vec();
                let to = random.index(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            3 | 4 => {
                let word = WORDS[random.index(WORDS.len())].bytes();
                bytes.splice(at.min(end)..end, word);
            }
            5 => {
                let number = [0u32, 1, 0x7FFF_FFFF, 0x8000_0000, u32::MAX][random.index(5)].to_le_bytes();
                bytes.iter_mut().skip(at).zip(number).for_each(|(byte, new)| *byte = new);
            }
            6 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.index(8)),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.index(256) as u8),
        }
    }
    bytes
}
