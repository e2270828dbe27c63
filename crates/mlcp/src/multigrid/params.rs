//! Variants of multigrid by name, and parameters.

use std::fmt;

use crate::parameter::parameters;

/// How values go from a coarse level to the next finer one; their transpose goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// From the corners of the triangle or tetrahedron around a cell: second order with D + 1 values
    /// a cell \[Lai2021, sec. 5.3.2\].
    #[default]
    Barycentric,
    /// Bilinear or trilinear: 2^D values a cell, twice as many entries in the coarse matrices.
    Linear,
    /// The value of the coarse cell itself. Coarse matrices keep the stencil of the finest; they are
    /// halved, which makes them those of the coarse grid.
    Constant,
}

/// Where the matrix of a coarse level comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coarsening {
    /// A_H = Pᵀ A P \[Lai2021, eq. (5.24)\].
    #[default]
    Galerkin,
    /// The pressure equation on the coarse grid: openings are averages of finer ones, a cell is
    /// liquid where any finer one is, distances to air start at the coarse centre.
    Direct,
}

/// A kind of multigrid, as part of a solver's name: what \[Lai2021\] compares in tables 5.1 and
/// 6.12.
///
/// Its text is what follows `multigrid` in a name, such as `-linear` or `-barycentric-plain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MultigridVariant {
    /// Interpolation. Default barycentric.
    pub transfer: Transfer,
    /// Whether interpolation stays on its side of a solid, its weights scaled to sum to one there,
    /// and coarse cells are split where a solid divides them \[Lai2021, sec. 5.3.3\]. Default true;
    /// `-plain` turns it off. Towards air weights are never scaled: the pressure vanishes there.
    pub one_sided: bool,
    /// Matrices of coarse levels. Default Galerkin; `-direct` is the other.
    pub coarsening: Coarsening,
}

impl Default for MultigridVariant {
    fn default() -> Self {
        Self { transfer: Transfer::Barycentric, one_sided: true, coarsening: Coarsening::Galerkin }
    }
}

impl MultigridVariant {
    /// Every one of them.
    pub fn all() -> Vec<Self> {
        let mut variants = Vec::new();
        for transfer in [Transfer::Barycentric, Transfer::Linear, Transfer::Constant] {
            for one_sided in [true, false] {
                for coarsening in [Coarsening::Galerkin, Coarsening::Direct] {
                    variants.push(Self { transfer, one_sided, coarsening });
                }
            }
        }
        variants
    }

    /// The variant of this text, if there is one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::all().into_iter().find(|variant| variant.to_string() == text)
    }
}

impl fmt::Display for MultigridVariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.transfer {
            Transfer::Barycentric => "-barycentric",
            Transfer::Linear => "-linear",
            Transfer::Constant => "-constant",
        })?;
        f.write_str(if self.one_sided { "" } else { "-plain" })?;
        f.write_str(match self.coarsening {
            Coarsening::Galerkin => "",
            Coarsening::Direct => "-direct",
        })
    }
}

parameters! {
    /// Parameters of multigrid cycles.
    pub struct MultigridParams {
        /// Gauss–Seidel sweeps before each coarse correction, and in reverse order after it. The default is that of
        /// \[Lai2021\].
        sweeps: usize = 2, 1..=1000;
        /// A level of this many unknowns or fewer is solved exactly. Automatic is 4^D on a grid, as \[Lai2021\], and
        /// 64 elsewhere.
        coarsest: Option<usize> = None, 1..=1000000;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_read_back_from_its_text() {
        assert_eq!(MultigridVariant::all().len(), 12);
        for variant in MultigridVariant::all() {
            assert_eq!(MultigridVariant::parse(&variant.to_string()), Some(variant));
        }
        assert_eq!(MultigridVariant::parse("-cubic"), None);
    }
}
