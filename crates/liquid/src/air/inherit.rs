//! What parts of the air have been before.

use std::collections::BTreeMap;

use unstick_grid::{Grid, multi_index};

use super::parts::Parts;
use super::{AirState, Bubble, Part, tell_liquid};

/// How many cells each part of the air has taken over from which part of the air of the last step, numbers from zero.
pub(super) struct Heirs(BTreeMap<(u32, u32), f64>);

impl Heirs {
    /// Counts the cells that parts have in common. A part that has none with any, or of which none is left, has moved on:
    /// it may lie up to `reach` cells away. A bubble of which nothing is left there has become too fine for the grid: its
    /// air goes to what air is nearest in the same space, so that none is lost.
    pub fn of<const D: usize>(grid: &Grid<D>, reach: usize, before: &AirState, parts: &Parts) -> Self {
        let mut common = BTreeMap::new();
        let is_air = |part: u32| !matches!(before.parts[part as usize], Part::Liquid(_));
        // Parts of the air of a cell, before and now.
        let was = |cell: usize| before.part_of.get(cell)?.checked_sub(1).filter(|&part| is_air(part));
        let is = |cell: usize| parts.part_of[cell].checked_sub(1).filter(|&part| parts.is_air[part as usize]);
        let (mut has_past, mut has_heir) = (vec![false; parts.count()], vec![false; before.parts.len()]);
        for cell in 0..before.part_of.len() {
            if let (Some(was), Some(is)) = (was(cell), is(cell)) {
                *common.entry((is, was)).or_insert(0.0) += 1.0;
                (has_past[is as usize], has_heir[was as usize]) = (true, true);
            }
        }
        for cell in 0..before.part_of.len() {
            if let Some(is) = is(cell).filter(|&is| !has_past[is as usize]) {
                let near = nearest(grid, cell, reach, was);
                near.into_iter().for_each(|was| *common.entry((is, was)).or_insert(0.0) += 1.0);
            }
            if let Some(was) = was(cell).filter(|&was| !has_heir[was as usize]) {
                let near = nearest(grid, cell, reach, is);
                near.into_iter().for_each(|is| *common.entry((is, was)).or_insert(0.0) += 1.0);
            }
        }
        common.keys().for_each(|&(_, was)| has_heir[was as usize] = true);
        let all = grid.cells().into_iter().max().unwrap_or(0);
        for cell in 0..before.part_of.len() {
            let Some(was) = was(cell).filter(|&was| !has_heir[was as usize]) else { continue };
            let Some(here) = parts.part_of[cell].checked_sub(1) else { continue };
            has_heir[was as usize] = true;
            let is_same_space = |part: &u32| parts.space[*part as usize] == parts.space[here as usize];
            if let Some(is) = nearest(grid, cell, all, |cell| is(cell).filter(is_same_space)) {
                common.insert((is, was), 1.0);
            }
        }
        Self(common)
    }

    /// Says what every part is now.
    pub fn name(
        &self,
        parts: &Parts,
        (volumes, heights): (&[f64], &[f64]),
        vented: &[bool],
        before: &AirState,
    ) -> Vec<Part> {
        let is_outer = self.find_outer(parts, (volumes, heights), vented, before);
        // Each bubble's cells in all of its heirs.
        let mut left = vec![0.0; before.parts.len()];
        self.0.iter().for_each(|((_, was), cells)| left[*was as usize] += cells);
        let is_start = before.part_of.is_empty();
        let of_part = |part: usize| {
            let measured = volumes[part];
            if !parts.is_air[part] {
                return Part::Liquid(0.0);
            } else if is_outer[part] {
                return Part::Outer;
            } else if is_start {
                return Part::Bubble(Bubble { volume: measured, measured, pressure: 0.0 });
            }
            let (mut volume, mut pressure, mut open, mut all) = (0.0, 0.0, 0.0, 0.0);
            let first = (part as u32, 0);
            for (&(_, was), &cells) in self.0.range(first..(part as u32 + 1, 0)) {
                match before.parts[was as usize] {
                    Part::Bubble(bubble) => {
                        volume += bubble.volume * cells / left[was as usize];
                        pressure += bubble.pressure * cells;
                    }
                    Part::Outer => open += cells,
                    Part::Cavity | Part::Liquid(_) => continue,
                }
                all += cells;
            }
            if all == 0.0 {
                return Part::Cavity;
            }
            volume += measured * open / all;
            Part::Bubble(Bubble { volume, measured, pressure: pressure / all })
        };
        let mut named: Vec<Part> = (0..parts.count()).map(of_part).collect();
        // What bubbles mean for the liquid at them, and that for cavities in it: there they are filled with what is thin.
        tell_liquid(&mut named, &parts.touching);
        for &(liquid, air) in &parts.touching {
            if let (Part::Liquid(least), Part::Cavity) = (named[liquid as usize], named[air as usize])
                && least < 0.0
            {
                let volume = volumes[air as usize];
                named[air as usize] = Part::Bubble(Bubble { volume, measured: volume, pressure: least });
            }
        }
        named
    }

    /// In every closed space what reaches a vent; without that what was outer air before, and what reaches highest at first.
    fn find_outer(
        &self,
        parts: &Parts,
        (volumes, heights): (&[f64], &[f64]),
        vented: &[bool],
        before: &AirState,
    ) -> Vec<bool> {
        let mut is_outer = vec![false; parts.count()];
        for (&part, _) in parts.part_of.iter().zip(vented).filter(|(part, is_vented)| **is_vented && **part > 0) {
            is_outer[part as usize - 1] = parts.is_air[part as usize - 1];
        }
        let mut has_outer = vec![false; parts.count()];
        (0..parts.count()).filter(|&part| is_outer[part]).for_each(|part| has_outer[parts.space[part] as usize] = true);
        let mut was_outer = vec![0.0; parts.count()];
        for (&(is, was), cells) in &self.0 {
            let counts = before.parts[was as usize] == Part::Outer;
            was_outer[is as usize] += if counts { *cells } else { 0.0 };
        }
        let mut best: BTreeMap<u32, usize> = BTreeMap::new();
        for part in (0..parts.count()).filter(|&part| parts.is_air[part] && !has_outer[parts.space[part] as usize]) {
            let rank = |part: usize| (was_outer[part], heights[part], volumes[part]);
            let best = best.entry(parts.space[part]).or_insert(part);
            *best = if rank(part) > rank(*best) { part } else { *best };
        }
        best.into_values().for_each(|part| is_outer[part] = true);
        is_outer
    }
}

/// The part that most cells belong to which are nearest to a cell, among those up to `reach` cells away.
fn nearest<const D: usize>(
    grid: &Grid<D>,
    cell: usize,
    reach: usize,
    part_of: impl Fn(usize) -> Option<u32>,
) -> Option<u32> {
    let place = multi_index(grid.cells(), cell);
    (1..=reach).find_map(|ring| {
        let side = 2 * ring + 1;
        let mut count: BTreeMap<u32, usize> = BTreeMap::new();
        for around in 0..side.pow(D as u32) {
            let shift = multi_index([side; D], around);
            if shift.iter().all(|&step| step > 0 && step < side - 1) {
                continue; // of a smaller ring
            }
            let other: Option<[usize; D]> = (0..D).try_fold([0; D], |mut other, axis| {
                other[axis] = (place[axis] + shift[axis]).checked_sub(ring).filter(|&at| at < grid.cells()[axis])?;
                Some(other)
            });
            if let Some(part) = other.and_then(|other| part_of(grid.index(other))) {
                *count.entry(part).or_insert(0) += 1;
            }
        }
        let most = count.iter().max_by_key(|(part, cells)| (**cells, std::cmp::Reverse(**part)));
        most.map(|(part, _)| *part)
    })
}
