//! Particles of a rank: those that leave its box and come to it, copies of those beside it, and their numbers.

use unstick_grid::Grid;
use unstick_mlcp::ranks::{Message, Reductions};
use unstick_parallel as parallel;

use super::fields::Places;
use super::{Share, lines_of};
use crate::particles::exchange::Site;
use crate::particles::sort::{self, Sorted};
use crate::particles::{Particles, cell_number, cell_of};

/// Particles of some rank as words: its number, then its place, velocity and what is affine, as bits.
pub(super) fn pack<const D: usize>(particles: &Particles<D>, index: usize, is_affine: bool, words: &mut Vec<u64>) {
    words.push(particles.id[index]);
    let numbers = particles.position[index].iter().chain(&particles.velocity[index]);
    words.extend(numbers.map(|number| number.to_bits()));
    if is_affine {
        words.extend(particles.affine[index].as_flattened().iter().map(|number| number.to_bits()));
    }
}

/// Words of a particle.
pub(super) fn width<const D: usize>(is_affine: bool) -> usize {
    1 + 2 * D + if is_affine { D * D } else { 0 }
}

pub(super) fn unpack<const D: usize>(words: &[u64], is_affine: bool, particles: &mut Particles<D>) {
    let number = |at: usize| f64::from_bits(words[1 + at]);
    particles.id.push(words[0]);
    particles.position.push(std::array::from_fn(number));
    particles.velocity.push(std::array::from_fn(|axis| number(D + axis)));
    if is_affine {
        particles.affine.push(std::array::from_fn(|row| std::array::from_fn(|axis| number(D * (2 + row) + axis))));
    }
}

/// Some particles in an order, and their cells.
struct Listed {
    order: Vec<u32>,
    cells: Vec<u32>,
}

/// Some numbers of a list, by their places.
fn picked(numbers: &[u32], places: &[u32]) -> Vec<u32> {
    let mut picked = parallel::filled(places.len(), 0);
    parallel::for_each((places, picked.as_mut_slice()), |(places, picked)| {
        places.iter().zip(picked).for_each(|(&place, picked)| *picked = numbers[place as usize]);
    });
    picked
}

impl<const D: usize> Share<D> {
    /// Lines of cells of the box, counted among those that the rank has.
    pub fn own_lines(&self) -> Vec<usize> {
        lines_of(self.local[self.ranks.rank()].size, self.inside())
    }

    /// The first number of each line of the box, if all things of all ranks are numbered by lines and each line has so
    /// many of them; and how many there are.
    pub fn first_numbers(&self, counts: &[u64]) -> (Vec<u64>, u64) {
        let own = self.own[self.ranks.rank()];
        let (across, layers) = (own.size[1], if D == 3 { own.size[2] } else { 1 });
        let first_layer = if D == 3 { own.first[2] } else { 0 };
        // What each rank has in each layer; the layers of a rank lie one behind the other.
        let [ranks_across, _] = self.boxes.counts();
        let [place, _] = self.boxes.place(self.ranks.rank());
        let mut of_layers = vec![0i64; ranks_across * self.boxes.shape()[2]];
        for layer in 0..layers {
            let count: u64 = counts[layer * across..(layer + 1) * across].iter().sum();
            of_layers[(first_layer + layer) * ranks_across + place] = count as i64;
        }
        self.ranks.sum(&mut of_layers);
        let mut sum = 0;
        for count in &mut of_layers {
            sum += std::mem::replace(count, sum);
        }
        let mut first = Vec::with_capacity(counts.len());
        for (layer, counts) in counts.chunks(across).enumerate() {
            let mut next = of_layers[(first_layer + layer) * ranks_across + place] as u64;
            for count in counts {
                first.push(next);
                next += count;
            }
        }
        (first, sum as u64)
    }

    /// What to add to the number of a particle here, by its line of cells, to get its number among those of all ranks.
    pub fn offsets(&self, nx: usize, starts: &[u32]) -> Vec<u64> {
        let lines = self.own_lines();
        let start = |line: usize| u64::from(starts[line * nx]);
        let counts: Vec<u64> = lines.iter().map(|&line| start(line + 1) - start(line)).collect();
        let (first, _) = self.first_numbers(&counts);
        let mut numbers = vec![0; starts.len() / nx];
        lines.iter().zip(first).for_each(|(&line, first)| numbers[line] = first);
        self.fill(&mut [(Places::LINES, &mut numbers)]);
        numbers.iter_mut().enumerate().for_each(|(line, number)| *number = number.wrapping_sub(start(line)));
        numbers
    }

    /// Whether particles carry an affine part on any rank. Then they do on this one as well.
    pub(super) fn is_affine(&self, particles: &mut Particles<D>) -> bool {
        let [affine] = self.ranks.total([particles.affine.len()]);
        if affine > 0 {
            particles.affine.resize(particles.len(), [[0.0; D]; D]);
        }
        affine > 0
    }

    /// Adds copies of the particles beside the box to those in it, and sorts; returns where those of each cell start.
    pub fn know_beside(&self, grid: &Grid<D>, particles: &mut Particles<D>, spare: &mut Vec<[f64; D]>) -> Vec<u32> {
        let is_affine = self.is_affine(particles);
        let own = Listed { order: (0..particles.len() as u32).collect(), cells: particles.cells(grid) };
        self.settle(grid, particles, own, is_affine, spare)
    }

    /// Hands particles over that have left the box, takes those that have come, and sorts. `starts` is where the particles
    /// of each cell started before they moved. An error if any has gone further than ranks look: how many.
    pub fn migrate(
        &self,
        grid: &Grid<D>,
        starts: &[u32],
        particles: &mut Particles<D>,
        spare: &mut Vec<[f64; D]>,
    ) -> Result<Vec<u32>, usize> {
        let is_affine = self.is_affine(particles);
        let (whole, nx) = (grid.whole(), grid.cells()[0]);
        let owner = |cell: [usize; D]| self.boxes.owner(std::array::from_fn(|axis| *cell.get(axis + 1).unwrap_or(&0)));
        let lines = self.own_lines();
        let of_line = |line: usize| starts[line * nx] as usize..starts[(line + 1) * nx] as usize;
        let mut cells = particles.cells(grid);
        // What lies beyond all cells of this rank counts to the outermost ones, which are not its own there.
        let mut is_own = vec![false; grid.len() / nx];
        lines.iter().for_each(|&line| is_own[line] = true);
        let leaving = parallel::list_scattered(lines.as_slice(), |lines| {
            let indices = lines.iter().flat_map(|&line| of_line(line));
            indices.filter(|&index| !is_own[cells[index] as usize / nx]).map(|index| index as u32).collect()
        });
        let near = self.near();
        let mut going: Vec<Vec<u64>> = near.iter().map(|_| Vec::new()).collect();
        let mut lost = 0;
        let mut line = 0;
        for &index in &leaving {
            while of_line(lines[line]).end <= index as usize {
                line += 1;
            }
            let to = owner(cell_of(&whole, particles.position[index as usize]));
            match near.iter().position(|&rank| rank == to) {
                Some(place) => {
                    going[place].push(self.line_in_whole(lines[line]));
                    pack(particles, index as usize, is_affine, &mut going[place]);
                }
                None => lost += 1,
            }
        }
        let [lost] = self.ranks.total([lost]);
        if lost > 0 {
            return Err(lost);
        }
        // Those that came, by the lines that they come from. No line belongs to two ranks.
        let mut came: Vec<(u64, u32)> = Vec::new();
        for words in self.swap(&near, &going) {
            for words in words.chunks_exact(1 + width::<D>(is_affine)) {
                came.push((words[0], particles.len() as u32));
                unpack(&words[1..], is_affine, particles);
                cells.push(cell_number(grid, particles.position[particles.len() - 1]));
            }
        }
        came.sort_by_key(|(line, _)| *line);
        let mut order: Vec<u32> = Vec::with_capacity(particles.len());
        let (mut leaving, mut came) = (leaving.iter().peekable(), came.into_iter().peekable());
        for &line in &lines {
            let in_whole = self.line_in_whole(line);
            order.extend(std::iter::from_fn(|| came.next_if(|(from, _)| *from < in_whole)).map(|(_, index)| index));
            let mut range = of_line(line);
            while let Some(index) = leaving.next_if(|index| range.contains(&(**index as usize))) {
                order.extend(range.start as u32..*index);
                range.start = *index as usize + 1;
            }
            order.extend(range.start as u32..range.end as u32);
        }
        order.extend(came.map(|(_, index)| index));
        let own = Listed { cells: picked(&cells, &order), order };
        Ok(self.settle(grid, particles, own, is_affine, spare))
    }

    /// Adds copies of the particles beside the box to those in it, and sorts all.
    fn settle(
        &self,
        grid: &Grid<D>,
        particles: &mut Particles<D>,
        own: Listed,
        is_affine: bool,
        spare: &mut Vec<[f64; D]>,
    ) -> Vec<u32> {
        let Listed { mut order, mut cells } = own;
        let (nx, layer) = (grid.cells()[0], grid.len() / grid.cells()[D - 1]);
        let (me, near) = (self.ranks.rank(), self.near());
        let beside = |other: usize| {
            let (mut is_beside, local) = (vec![false; grid.len() / nx], self.local[me]);
            if let Some(window) = self.rim(other).common(&self.own[me]) {
                let lines = lines_of(local.size, window.seen_from(local.first));
                lines.into_iter().for_each(|line| is_beside[line] = true);
            }
            is_beside
        };
        let beside: Vec<Vec<bool>> = near.iter().map(|&other| beside(other)).collect();
        let is_shared: Vec<bool> = (0..grid.len() / nx).map(|line| beside.iter().any(|lines| lines[line])).collect();
        let line_of = |cell: u32| cell as usize / nx;
        // The order within a cell is that of its rank.
        let shared = parallel::list((order.as_slice(), cells.as_slice()), |(order, cells)| {
            let with_line = order.iter().zip(cells).map(|(&index, &cell)| (index, line_of(cell) as u32));
            with_line.filter(|(_, line)| is_shared[*line as usize]).collect()
        });
        let going = beside.iter().map(|is_beside| {
            let meant = || shared.iter().filter(|(_, line)| is_beside[*line as usize]);
            let mut words = Vec::with_capacity(meant().count() * width::<D>(is_affine));
            meant().for_each(|(index, _)| pack(particles, *index as usize, is_affine, &mut words));
            words
        });
        let going: Vec<Vec<u64>> = going.collect();
        for words in self.swap(&near, &going) {
            for words in words.chunks_exact(width::<D>(is_affine)) {
                order.push(particles.len() as u32);
                unpack(words, is_affine, particles);
                cells.push(cell_number(grid, particles.position[particles.len() - 1]));
            }
        }
        let Sorted { order: sorted, starts, .. } = sort::by_cell(&cells, grid.len(), layer);
        particles.reorder(&picked(&order, &sorted), spare);
        starts
    }

    /// The particles of all ranks on the first one, in the order of their cells.
    pub fn gather_particles(&self, grid: &Grid<D>, starts: &[u32], particles: &Particles<D>) -> Option<Particles<D>> {
        let nx = grid.cells()[0];
        let [affine] = self.ranks.total([particles.affine.len()]);
        let is_affine = affine > 0;
        let count = |line: usize| starts[(line + 1) * nx] - starts[line * nx];
        let counts: Vec<u32> = (0..starts.len() / nx).map(count).collect();
        let mut words = Vec::new();
        for line in self.own_lines() {
            let range = starts[line * nx] as usize..starts[(line + 1) * nx] as usize;
            range.for_each(|index| pack(particles, index, is_affine, &mut words));
        }
        let (counts, parts) = (self.gather(Places::LINES, &counts), self.ranks.gather(&words, None));
        let mut rest: Vec<&[u64]> = parts.iter().map(Vec::as_slice).collect();
        let mut all = Particles { next_id: particles.next_id, ..Particles::default() };
        // The lines of each rank follow one another as in the whole.
        for (line, &count) in counts?.values().iter().enumerate() {
            let ny = self.boxes.shape()[1];
            let of_rank = &mut rest[self.boxes.owner([line % ny, line / ny])];
            let (own, behind) = of_rank.split_at(count as usize * width::<D>(is_affine));
            own.chunks_exact(width::<D>(is_affine)).for_each(|words| unpack(words, is_affine, &mut all));
            *of_rank = behind;
        }
        Some(all)
    }

    /// Gives each rank its part of particles that the first one has.
    pub fn hand_out_particles(&self, whole: &Grid<D>, all: Option<Particles<D>>) -> Particles<D> {
        let mut parts = vec![Vec::new(); self.ranks.count()];
        let mut head = [0i64; 1];
        if let Some(mut all) = all {
            all.sort_by_cell(whole, &mut Vec::new());
            let is_affine = !all.affine.is_empty();
            head = [is_affine as i64];
            for index in 0..all.len() {
                let cell = cell_of(whole, all.position[index]);
                let line = std::array::from_fn(|axis| *cell.get(axis + 1).unwrap_or(&0));
                pack(&all, index, is_affine, &mut parts[self.boxes.owner(line)]);
            }
        }
        let is_affine = self.tell(head) == [1];
        let mut lengths: Vec<i64> = parts.iter().map(|part| part.len() as i64).collect();
        self.ranks.sum(&mut lengths);
        let lengths: Vec<usize> = lengths.into_iter().map(|length| length as usize).collect();
        let mut words = vec![0; lengths[self.ranks.rank()]];
        self.ranks.hand_out(&parts, &lengths, &mut words);
        let mut particles = Particles::default();
        words.chunks_exact(width::<D>(is_affine)).for_each(|words| unpack(words, is_affine, &mut particles));
        particles
    }

    /// The sites of all ranks, in the order of their cells.
    pub fn all_sites(&self, grid: &Grid<D>, own: &[Site<D>]) -> Vec<Site<D>> {
        let words = own.iter().flat_map(|site| site.point.iter().chain([&site.room]).map(|number| number.to_bits()));
        let all = self.ranks.gather_all(&words.collect::<Vec<_>>()).concat();
        let site = |words: &[u64]| {
            let number = |at: usize| f64::from_bits(words[at]);
            Site { point: std::array::from_fn(number), room: number(D) }
        };
        let mut all: Vec<Site<D>> = all.chunks_exact(D + 1).map(site).collect();
        let whole = grid.whole();
        all.sort_by_key(|site| whole.index(cell_of(&whole, site.point)));
        all
    }

    /// The number of a line in the whole.
    pub(super) fn line_in_whole(&self, line: usize) -> u64 {
        let (local, shape) = (self.local[self.ranks.rank()], self.boxes.shape());
        let (y, z) = (line % local.size[1] + local.first[1], line / local.size[1]);
        let z = z + if D == 3 { local.first[2] } else { 0 };
        (y + shape[1] * z) as u64
    }

    /// The ranks that may know cells of this one, or the other way round.
    pub(super) fn near(&self) -> Vec<usize> {
        let me = self.ranks.rank();
        let reach = |one: usize, other: usize| self.local[one].common(&self.own[other]).is_some();
        (0..self.ranks.count()).filter(|&other| other != me && (reach(me, other) || reach(other, me))).collect()
    }

    /// Swaps words with some ranks, as many as each has.
    pub(super) fn swap(&self, near: &[usize], going: &[Vec<u64>]) -> Vec<Vec<u64>> {
        let lengths: Vec<[u64; 1]> = going.iter().map(|words| [words.len() as u64]).collect();
        let mut coming = vec![[0u64; 1]; near.len()];
        let ranks = near.iter().zip(&lengths).zip(&mut coming);
        let mut messages: Vec<Message> =
            ranks.map(|((&rank, send), receive)| Message::swap(rank, send, receive)).collect();
        self.ranks.exchange(&mut messages);
        let mut words: Vec<Vec<u64>> = coming.iter().map(|[length]| vec![0; *length as usize]).collect();
        let ranks = near.iter().zip(going).zip(&mut words);
        let mut messages: Vec<Message> =
            ranks.map(|((&rank, send), receive)| Message::swap(rank, send, receive)).collect();
        self.ranks.exchange(&mut messages);
        words
    }
}
