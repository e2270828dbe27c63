//! What the first rank says to the others.

use unstick_mlcp::ranks::{Message, Ranks};

use crate::sink::PieceContent;

/// What the first rank tells the others to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    /// There is nothing more to do.
    Leave,
    /// Make the simulation of a scene at its beginning.
    Begin,
    /// Make it at a state that the first rank has.
    Resume,
    /// Make it at a state in parts.
    ResumeParts,
    /// The simulation has ended.
    Drop,
    /// Take a step of some length.
    Advance(f64),
    /// Say whether the state can be stored.
    Check,
    /// Send what there is to see.
    View,
    /// Send the state.
    Gather,
    /// Write the part of the state.
    Store,
    /// Write a file with the part of what there is to see.
    Show(PieceContent),
    /// Count particles and measure volumes.
    Measure,
}

impl Order {
    fn words(self) -> [i64; 2] {
        match self {
            Self::Leave => [0, 0],
            Self::Begin => [1, 0],
            Self::Resume => [2, 0],
            Self::Drop => [3, 0],
            Self::Advance(length) => [4, length.to_bits() as i64],
            Self::Check => [5, 0],
            Self::View => [6, 0],
            Self::Gather => [7, 0],
            Self::Measure => [8, 0],
            Self::Store => [9, 0],
            Self::ResumeParts => [10, 0],
            Self::Show(PieceContent::Fields) => [11, 0],
            Self::Show(PieceContent::Particles { thin }) => [12, thin as i64],
        }
    }

    fn of(words: [i64; 2]) -> Self {
        match words {
            [1, _] => Self::Begin,
            [2, _] => Self::Resume,
            [3, _] => Self::Drop,
            [4, bits] => Self::Advance(f64::from_bits(bits as u64)),
            [5, _] => Self::Check,
            [6, _] => Self::View,
            [7, _] => Self::Gather,
            [8, _] => Self::Measure,
            [9, _] => Self::Store,
            [10, _] => Self::ResumeParts,
            [11, _] => Self::Show(PieceContent::Fields),
            [12, thin] => Self::Show(PieceContent::Particles { thin: thin as usize }),
            _ => Self::Leave,
        }
    }

    /// Tells it to all others.
    pub fn tell(self, ranks: &dyn Ranks) {
        ranks.sum(&mut self.words());
    }

    /// Hears what the first rank tells.
    pub fn hear(ranks: &dyn Ranks) -> Self {
        let mut words = [0; 2];
        ranks.sum(&mut words);
        Self::of(words)
    }
}

/// Tells some texts to all others.
pub(super) fn tell_texts<const N: usize>(ranks: &dyn Ranks, texts: [&[u8]; N]) {
    ranks.sum(&mut texts.map(|text| text.len() as i64));
    let bytes = texts.concat();
    let others = 1..ranks.count();
    ranks.exchange(&mut others.map(|rank| Message::to(rank, &bytes)).collect::<Vec<_>>());
}

pub(super) fn hear_texts<const N: usize>(ranks: &dyn Ranks) -> [Vec<u8>; N] {
    let mut lengths = [0; N];
    ranks.sum(&mut lengths);
    let mut bytes = vec![0u8; lengths.iter().sum::<i64>() as usize];
    ranks.exchange(&mut [Message::from(0, &mut bytes)]);
    lengths.map(|length| bytes.drain(..length as usize).collect())
}
