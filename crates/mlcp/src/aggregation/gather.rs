//! Which rows become one: pairs of pairs of pairs, within a chunk.
//!
//! Two rows fit together if their coupling is strong compared with what each of them has on its diagonal: the measure of
//! \[Napov2012\] bounds by how much a correction that is constant on both can be wrong. Pairs are paired again, measured
//! by the diagonals of all their rows. That allows cubes, and lines where couplings along lines dominate, and refuses
//! long shapes where they do not.

use std::ops::Range;

use super::chunks;
use super::level::{Aggregates, Level, NONE};

/// How often pairs are formed.
const PASSES: usize = 3;

/// Pairs of a larger measure are refused.
const WORST: f64 = 16.0;

/// So are pairs whose measure is this much larger than that of the best pair of any of their rows: long lines along
/// strong couplings.
const SPREAD: f64 = 3.0;

/// Rows that exceed their couplings by this factor are left to relaxing.
const DOMINANT: f32 = 5.0;

impl Level {
    /// Gathers the rows of every chunk.
    pub fn gather(&self) -> Aggregates {
        let parts = chunks::map(&self.borders, &|rows| Graph::of(self, rows).gathered());
        let mut aggregates = Aggregates { starts: vec![0], borders: vec![0], ..Aggregates::default() };
        aggregates.parents.reserve(self.rows());
        aggregates.members.reserve(self.rows());
        for (chunk, (parents, count)) in parts.iter().enumerate() {
            let (first, before) = (self.borders[chunk], aggregates.count() as u32);
            let shifted = |&parent: &u32| if parent == NONE { NONE } else { before + parent };
            aggregates.parents.extend(parents.iter().map(shifted));
            // Members of each aggregate, by counting.
            let mut ends = vec![0u32; count + 1];
            parents.iter().filter(|&&parent| parent != NONE).for_each(|&parent| ends[parent as usize + 1] += 1);
            let base = aggregates.members.len() as u32;
            (0..*count).for_each(|aggregate| ends[aggregate + 1] += ends[aggregate]);
            aggregates.starts.extend(ends[1..].iter().map(|end| base + end));
            aggregates.members.resize((base + ends[*count]) as usize, 0);
            for (row, &parent) in parents.iter().enumerate().filter(|(_, parent)| **parent != NONE) {
                let place = &mut ends[parent as usize];
                aggregates.members[(base + *place) as usize] = first + row as u32;
                *place += 1;
            }
            aggregates.borders.push(aggregates.count() as u32);
        }
        aggregates
    }
}

/// What is paired: rows of a chunk or groups of them, and how they are coupled.
struct Graph {
    starts: Vec<u32>,
    columns: Vec<u32>,
    /// −a_ij.
    couplings: Vec<f32>,
    /// Sum of the diagonals of all rows of a group.
    diagonal: Vec<f32>,
    excess: Vec<f32>,
    /// The measure of the best pair that any row of a group could form.
    best: Vec<f32>,
    /// Group of every row of the chunk.
    groups: Vec<u32>,
}

impl Graph {
    /// The rows of a chunk, without those that are left to relaxing.
    fn of(level: &Level, rows: Range<usize>) -> Self {
        let is_left = |row: usize| {
            let couplings: f32 = level.rows.off[level.rows.range(row)].iter().map(|value| value.abs()).sum();
            level.rows.excess[row] >= DOMINANT * couplings
        };
        let mut count = 0;
        let mut groups = Vec::with_capacity(rows.len());
        for row in rows.clone() {
            groups.push(if is_left(row) { NONE } else { count });
            count += !is_left(row) as u32;
        }
        let mut graph = Self::empty(groups, count as usize);
        for row in rows.clone() {
            if graph.groups[row - rows.start] == NONE {
                continue;
            }
            for (column, value) in level.rows.row(row).filter(|(column, _)| rows.contains(column)) {
                let group = graph.groups[column - rows.start];
                if group != NONE && value < 0.0 {
                    graph.columns.push(group);
                    graph.couplings.push(-value);
                }
            }
            let strongest = level.rows.row(row).fold(0.0, |most: f32, (_, value)| most.max(-value));
            graph.end(level.diagonal[row], level.rows.excess[row], level.diagonal[row] / strongest);
        }
        graph
    }

    fn empty(groups: Vec<u32>, count: usize) -> Self {
        let mut starts = Vec::with_capacity(count + 1);
        starts.push(0);
        let vector = || Vec::with_capacity(count);
        let (diagonal, excess, best) = (vector(), vector(), vector());
        Self { starts, columns: Vec::new(), couplings: Vec::new(), diagonal, excess, best, groups }
    }

    fn end(&mut self, diagonal: f32, excess: f32, best: f32) {
        self.starts.push(self.columns.len() as u32);
        self.diagonal.push(diagonal);
        self.excess.push(excess);
        self.best.push(best);
    }

    fn range(&self, group: usize) -> Range<usize> {
        self.starts[group] as usize..self.starts[group + 1] as usize
    }

    /// Pairs until groups are large enough; the group of each row, and how many there are.
    fn gathered(mut self) -> (Vec<u32>, usize) {
        for _ in 0..PASSES {
            self = self.paired();
        }
        (self.groups, self.diagonal.len())
    }

    /// The measure of a pair.
    fn measure(&self, one: usize, other: usize, coupling: f32) -> f64 {
        let together = |a: f32, b: f32| if a > 0.0 && b > 0.0 { 1.0 / (1.0 / a as f64 + 1.0 / b as f64) } else { 0.0 };
        let stiffness = coupling as f64 + together(self.excess[one], self.excess[other]);
        2.0 * together(self.diagonal[one], self.diagonal[other]) / stiffness
    }

    /// One group for every pair that fits, and for every group that fits none.
    fn paired(self) -> Self {
        let count = self.diagonal.len();
        let mut mates = vec![NONE; count];
        let mut firsts = Vec::with_capacity(count / 2);
        for group in 0..count {
            if mates[group] != NONE {
                continue;
            }
            let mut best = (WORST, group);
            for place in self.range(group) {
                let other = self.columns[place] as usize;
                if mates[other] == NONE && other != group {
                    let measure = self.measure(group, other, self.couplings[place]);
                    let spread = SPREAD * self.best[group].min(self.best[other]) as f64;
                    if measure < best.0 && measure < spread {
                        best = (measure, other);
                    }
                }
            }
            mates[group] = best.1 as u32;
            mates[best.1] = group as u32;
            firsts.push(group as u32);
        }
        let mut pair_of = vec![0u32; count];
        for (pair, &first) in firsts.iter().enumerate() {
            pair_of[first as usize] = pair as u32;
            pair_of[mates[first as usize] as usize] = pair as u32;
        }
        let groups = self.groups.iter().map(|&group| if group == NONE { NONE } else { pair_of[group as usize] });
        let mut pairs = Self::empty(groups.collect(), firsts.len());
        let mut place_of = vec![u32::MAX; firsts.len()];
        for (pair, &first) in firsts.iter().enumerate() {
            let start = pairs.columns.len();
            let (first, second) = (first as usize, mates[first as usize] as usize);
            let (mut diagonal, mut excess, mut best) = (0.0, 0.0, f32::INFINITY);
            for group in std::iter::once(first).chain((second != first).then_some(second)) {
                diagonal += self.diagonal[group];
                excess += self.excess[group];
                best = best.min(self.best[group]);
                for place in self.range(group) {
                    let other = pair_of[self.columns[place] as usize];
                    let known = &mut place_of[other as usize];
                    if other as usize == pair {
                        continue;
                    } else if *known != u32::MAX && *known as usize >= start {
                        pairs.couplings[*known as usize] += self.couplings[place];
                    } else {
                        *known = pairs.columns.len() as u32;
                        pairs.columns.push(other);
                        pairs.couplings.push(self.couplings[place]);
                    }
                }
            }
            pairs.end(diagonal, excess, best);
        }
        pairs
    }
}
