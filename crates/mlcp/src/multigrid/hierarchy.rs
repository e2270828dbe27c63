//! Levels with fewer and fewer unknowns.

use super::exact::Factors;
use super::finest::Order;
use super::galerkin::{Product, set_diagonal};
use super::params::{Coarsening, MultigridVariant, Transfer};
use super::sites::Sites;
use super::sparse::{Sparse, SquareMatrix};
use super::{aggregate, transfer};
use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::lattice::Lattice;
use crate::linear::Subsystem;

/// Coarsening that leaves more than this part of the unknowns is not worth another level.
const WORTH_COARSENING: f64 = 0.9;

/// Unknowns up to which a dense factorisation is worth it.
const FACTORISED: usize = 600;

/// A grid, its matrix, and the way to the next coarser one.
pub(crate) struct MatrixLevel {
    pub matrix: SquareMatrix,
    /// Red rows, where rows are coloured.
    pub red: Option<usize>,
    /// None on the coarsest level.
    pub link: Option<Link>,
    pub x: Vec<f64>,
    pub b: Vec<f64>,
    pub r: Vec<f64>,
}

impl MatrixLevel {
    fn new(matrix: SquareMatrix, red: Option<usize>) -> Self {
        let vector = || vec![0.0; matrix.rows()];
        let (x, b, r) = (vector(), vector(), vector());
        Self { matrix, red, link: None, x, b, r }
    }
}

/// W P between two levels, and how the coarse matrix follows.
pub(crate) struct Link {
    pub p: Sparse,
    pub pt: Sparse,
    /// W, the weights of the fine rows; empty for the identity.
    pub weights: Vec<f64>,
    scale: f64,
    direct: Option<Direct>,
}

/// Which unknowns a coarse one stands for, for discretisation on the coarse level.
struct Direct {
    parents: Sparse,
    members: Sparse,
    unit: f64,
}

impl Link {
    fn new(p: Sparse, scale: f64) -> Self {
        Self { pt: p.transposed(), p, weights: Vec::new(), scale, direct: None }
    }

    fn product<'p>(&'p self, fine: &'p SquareMatrix) -> Product<'p> {
        let (p, pt, scale) = match &self.direct {
            Some(direct) => (&direct.parents, &direct.members, 0.5),
            None => (&self.p, &self.pt, self.scale),
        };
        Product { fine, weights: &self.weights, p, pt, scale }
    }

    /// Brings the coarse matrix up to date with `changed` rows of the fine one; returns the coarse
    /// rows that changed.
    fn refresh(&self, fine: &SquareMatrix, changed: &[bool], coarse: &mut SquareMatrix) -> Vec<bool> {
        let product = self.product(fine);
        let mut due = vec![false; coarse.rows()];
        for row in (0..changed.len()).filter(|&row| changed[row]) {
            product.p.columns[product.p.range(row)].iter().for_each(|&column| due[column as usize] = true);
        }
        product.fill(coarse, &|row| due[row]);
        if let Some(direct) = &self.direct {
            set_diagonal(fine, &self.weights, &direct.members, direct.unit, coarse, |row| due[row]);
        }
        due
    }
}

/// All levels of a system, the finest first; there are always at least two.
pub(crate) struct MatrixHierarchy {
    pub order: Order,
    pub levels: Vec<MatrixLevel>,
    pub factors: Option<Factors>,
    changed: Vec<bool>,
}

impl MatrixHierarchy {
    /// Coarsens a system by geometry where its operator has a lattice, by aggregation otherwise. A `variant` says
    /// how to coarsen a lattice; it is refused where there is none. Levels of `coarsest` unknowns are not coarsened.
    pub fn build(
        system: &Subsystem,
        variant: Option<MultigridVariant>,
        coarsest: Option<usize>,
    ) -> Result<Self, SolveError> {
        let matrix = system.matrix("multigrid")?;
        let lattice = system.nearby().lattice();
        let (order, usual) = match (lattice, variant) {
            (Some(lattice), _) => (Order::red_black(lattice), 1 << (2 * lattice.dimension())),
            (None, None) => (Order::natural(system.size()), 64),
            (None, Some(variant)) => return Err(SolveError::NeedsGrid(variant)),
        };
        let coarsest = coarsest.unwrap_or(usual);
        let mut finest = MatrixLevel::new(order.pattern(matrix), order.red);
        let mut weights = vec![f64::NAN; matrix.rows()];
        let mut changed = vec![true; matrix.rows()];
        // Aggregates follow the couplings of the matrix. They stay when rows are pinned, so they are found without pins.
        let whole = Subsystem::whole(system.nearby());
        let first = if lattice.is_some() { system } else { &whole };
        order.write(first, matrix, &mut finest.matrix, &mut weights, &mut changed);
        let mut hierarchy = Self { order, levels: vec![finest], factors: None, changed };
        match lattice {
            Some(lattice) => {
                hierarchy.add_lattice_levels(lattice, matrix, weights, coarsest, variant.unwrap_or_default())
            }
            None => hierarchy.add_aggregated_levels(weights, coarsest),
        }
        if lattice.is_none() && !system.is_whole() {
            hierarchy.refresh(system)?;
        } else {
            hierarchy.factorise();
        }
        Ok(hierarchy)
    }

    /// Whether a system can have the operator that this was built for.
    pub fn fits(&self, system: &Subsystem) -> bool {
        let entries = |level: &MatrixLevel| level.matrix.off.columns.len() + level.matrix.rows();
        let is_alike =
            |matrix: &CsrMatrix| (matrix.rows(), matrix.entries()) == (self.order.rows.len(), entries(&self.levels[0]));
        system.nearby().csr().is_some_and(is_alike)
    }

    /// Follows a system whose operator is that of before: transfers stay, matrices change where the
    /// system has.
    pub fn refresh(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        let matrix = system.matrix("multigrid")?;
        let Self { order, levels, changed, .. } = self;
        let finest = &mut levels[0];
        if let Some(link) = &mut finest.link {
            order.write(system, matrix, &mut finest.matrix, &mut link.weights, changed);
        }
        let mut changed = changed.clone();
        for fine in 0..levels.len() - 1 {
            let [fine, coarse, ..] = &mut levels[fine..] else { break };
            if let Some(link) = &fine.link {
                changed = link.refresh(&fine.matrix, &changed, &mut coarse.matrix);
            }
        }
        self.factorise();
        Ok(())
    }

    fn add_lattice_levels(
        &mut self,
        lattice: &Lattice,
        matrix: &CsrMatrix,
        weights: Vec<f64>,
        coarsest: usize,
        variant: MultigridVariant,
    ) {
        let is_halved = variant.transfer == Transfer::Constant;
        let mut sites = Sites::of(lattice, matrix);
        let mut weights = Some(weights);
        let mut unit = 1.0;
        while sites.len() > coarsest {
            let (coarse, parents) = sites.coarsen(variant.one_sided);
            if coarse.len() == 0 || coarse.len() as f64 > WORTH_COARSENING * sites.len() as f64 {
                break;
            }
            let is_finest = self.levels.len() == 1;
            let in_order = |p: Sparse| if is_finest { p.permuted(&self.order.rows) } else { p };
            let p = in_order(transfer::interpolation(variant, &sites, &coarse, &parents));
            let mut link = Link::new(p, if is_halved { 0.5 } else { 1.0 });
            if variant.coarsening == Coarsening::Direct {
                let mut membership = Sparse::new(coarse.len());
                for &parent in &parents {
                    if parent != super::sites::NONE {
                        membership.push(parent, 1.0);
                    }
                    membership.end_row();
                }
                let parents = in_order(membership);
                link.direct = Some(Direct { members: parents.transposed(), parents, unit });
                unit *= 2f64.powi(lattice.dimension() as i32 - 2);
            }
            link.weights = weights.take().unwrap_or_default();
            self.push(link);
            sites = coarse;
        }
        self.copy_if_alone(weights);
    }

    fn add_aggregated_levels(&mut self, weights: Vec<f64>, coarsest: usize) {
        let mut weights = Some(weights);
        while let Some(finest) = self.levels.last().filter(|level| level.matrix.rows() > coarsest) {
            let Some(p) = aggregate::interpolation(&finest.matrix, self.levels.len() - 1) else { break };
            if p.width() as f64 > WORTH_COARSENING * p.rows() as f64 {
                break;
            }
            let mut link = Link::new(p, 1.0);
            link.weights = weights.take().unwrap_or_default();
            self.push(link);
        }
        self.copy_if_alone(weights);
    }

    /// Where the finest level is small enough to be the coarsest, it is followed by a copy of itself.
    fn copy_if_alone(&mut self, weights: Option<Vec<f64>>) {
        if self.levels.len() == 1 {
            let size = self.levels[0].matrix.rows();
            let mut identity = Sparse::new(size);
            for row in 0..size as u32 {
                identity.push(row, 1.0);
                identity.end_row();
            }
            let mut link = Link::new(identity, 1.0);
            link.weights = weights.unwrap_or_default();
            self.push(link);
        }
    }

    /// Adds a level below the last.
    fn push(&mut self, link: Link) {
        if let Some(fine) = self.levels.last_mut() {
            let mut coarse = link.product(&fine.matrix).pattern();
            link.refresh(&fine.matrix, &vec![true; fine.matrix.rows()], &mut coarse);
            fine.link = Some(link);
            self.levels.push(MatrixLevel::new(coarse, None));
        }
    }

    fn factorise(&mut self) {
        let coarsest = self.levels.last().map(|level| &level.matrix);
        self.factors = coarsest.filter(|matrix| matrix.rows() <= FACTORISED).map(Factors::of);
    }

    /// Number of rows of each level.
    pub fn sizes(&self) -> Vec<usize> {
        self.levels.iter().map(|level| level.matrix.rows()).collect()
    }
}
