//! The borders of boxes: who holds what, and how it gets to the neighbours.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;

use super::{Boxes, Message, Ranks};
use crate::pressure::lines::{Frame, Line, Lines};

/// The part of a rank.
pub(crate) struct Share {
    pub ranks: Arc<dyn Ranks>,
    pub boxes: Boxes,
    /// The rank beside each side.
    neighbours: [Option<usize>; 4],
}

impl Share {
    pub fn new(ranks: Arc<dyn Ranks>, boxes: Boxes) -> Self {
        let neighbours = boxes.neighbours(ranks.rank());
        Self { ranks, boxes, neighbours }
    }

    /// The columns of its box.
    pub fn frame(&self) -> Frame {
        self.boxes.frame(self.ranks.rank())
    }

    /// The lines of the neighbours beside each side, given the own ones; their `base` counts on from `base`.
    pub fn ghost_lines(&self, lines: &Lines, mut base: u32, extent: impl Fn(&Line) -> u32) -> Vec<Line> {
        let outgoing = std::array::from_fn(|side| {
            let mut message = Vec::new();
            for column in lines.frame.border(side) {
                message.push(lines.of(column).len() as u32);
                message.extend(lines.of(column).iter().flat_map(|line| [line.from, line.length]));
            }
            message
        });
        let mut ghosts = Vec::new();
        for (side, message) in self.swap(outgoing).into_iter().enumerate() {
            let mut numbers = message.into_iter();
            for column in lines.frame.beside(side) {
                for _ in 0..numbers.next().unwrap_or(0) {
                    let [from, length] = [0; 2].map(|_: i32| numbers.next().unwrap_or(0));
                    let line = Line { column: column as u32, from, length, base };
                    base += extent(&line);
                    ghosts.push(line);
                }
            }
        }
        ghosts
    }

    /// Swaps numbers with the neighbours, as many as each has.
    fn swap(&self, outgoing: [Vec<u32>; 4]) -> [Vec<u32>; 4] {
        let lengths = outgoing.each_ref().map(|message| vec![message.len() as u32]);
        let mut incoming = [0; 4].map(|length| vec![length]);
        self.exchange(&lengths, &mut incoming);
        let mut messages = incoming.map(|length| vec![0; length[0] as usize]);
        self.exchange(&outgoing, &mut messages);
        messages
    }

    fn exchange(&self, send: &[Vec<u32>; 4], receive: &mut [Vec<u32>; 4]) {
        let sides = send.iter().zip(receive).zip(self.neighbours);
        let mut messages: Vec<Message> =
            sides.filter_map(|((send, receive), rank)| Some(Message::swap(rank?, send, receive))).collect();
        self.ranks.exchange(&mut messages);
    }
}

/// Where the values of borders and ghosts are in a vector. Of a whole grid there are none.
#[derive(Default)]
pub(crate) struct Halo {
    ranks: Option<Arc<dyn Ranks>>,
    sides: Vec<Side>,
}

#[derive(Debug)]
struct Side {
    rank: usize,
    /// Own values that the neighbour needs.
    send: Vec<Range<usize>>,
    sent: usize,
    /// Ghosts that it sends.
    receive: Range<usize>,
}

impl fmt::Debug for Halo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Halo").field("sides", &self.sides).finish_non_exhaustive()
    }
}

impl Halo {
    /// The halo of some lines, whose values take `extent` places each.
    pub fn new(share: &Share, lines: &Lines, extent: impl Fn(&Line) -> u32) -> Self {
        let span = |columns: Range<usize>| {
            let lines = &lines.lines[lines.range(columns.start).start..lines.range(columns.end - 1).end];
            let (first, last) = (lines.first()?, lines.last()?);
            Some(first.base as usize..(last.base + extent(last)) as usize)
        };
        let mut sides = Vec::new();
        for (side, rank) in share.neighbours.into_iter().enumerate() {
            let Some(rank) = rank else { continue };
            let mut send: Vec<Range<usize>> = Vec::new();
            for range in lines.frame.border(side).filter_map(|column| span(column..column + 1)) {
                match send.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ => send.push(range),
                }
            }
            let sent = send.iter().map(Range::len).sum();
            sides.push(Side { rank, send, sent, receive: span(lines.frame.beside(side)).unwrap_or(0..0) });
        }
        Self { ranks: Some(share.ranks.clone()), sides }
    }

    /// Fills the ghosts of a vector.
    pub fn fill<T: Pod>(&self, values: &mut [T]) {
        let Some(ranks) = &self.ranks else { return };
        let mut buffers = Vec::with_capacity(self.sides.len());
        for side in &self.sides {
            let mut buffer = Vec::with_capacity(side.sent);
            side.send.iter().for_each(|range| buffer.extend_from_slice(&values[range.clone()]));
            buffers.push(buffer);
        }
        let (mut rest, mut place) = (values, 0);
        let mut messages = Vec::with_capacity(self.sides.len());
        for (side, buffer) in self.sides.iter().zip(&buffers) {
            let mut receive = &mut [][..];
            if !side.receive.is_empty() {
                let (own, behind) = rest.split_at_mut(side.receive.end - place);
                receive = &mut own[side.receive.start - place..];
                (rest, place) = (behind, side.receive.end);
            }
            messages.push(Message::swap(side.rank, buffer, receive));
        }
        ranks.exchange(&mut messages);
    }

    /// The same for flags.
    pub fn fill_flags(&self, flags: &mut [bool]) {
        if self.ranks.is_none() {
            return;
        }
        let mut bytes: Vec<u8> = flags.iter().map(|&flag| flag as u8).collect();
        self.fill(&mut bytes);
        flags.iter_mut().zip(bytes).for_each(|(flag, byte)| *flag = byte != 0);
    }

    /// Whether there are other ranks.
    pub fn is_shared(&self) -> bool {
        self.ranks.is_some()
    }

    /// Own values that some neighbour needs.
    pub fn border(&self) -> impl Iterator<Item = usize> + '_ {
        self.sides.iter().flat_map(|side| side.send.iter().cloned().flatten())
    }
}
