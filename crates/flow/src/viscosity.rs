//! How viscous the liquid is.

/// Kinematic viscosity, of a liquid that may thin or thicken as it is sheared.
///
/// The rate of shear is γ = √(2 E:E), E = (∇u + ∇u^T)/2.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Viscosity {
    /// The same everywhere.
    Newtonian(f64),
    /// ν = consistency γ^(exponent − 1), between two bounds: without them it has none at rest.
    PowerLaw {
        /// Viscosity at γ = 1/s.
        consistency: f64,
        /// Below 1 the liquid thins, above it thickens.
        exponent: f64,
        /// Smallest and largest viscosity.
        bounds: [f64; 2],
    },
    /// ν = ν_∞ + (ν_0 − ν_∞) (1 + (λ γ)²)^((n − 1)/2).
    Carreau {
        /// ν_0.
        at_rest: f64,
        /// ν_∞.
        sheared: f64,
        /// λ, in seconds.
        relaxation: f64,
        /// n.
        exponent: f64,
    },
}

impl Viscosity {
    /// The viscosity at a rate of shear.
    pub fn at(&self, rate: f64) -> f64 {
        match *self {
            Self::Newtonian(value) => value,
            Self::PowerLaw { consistency, exponent, bounds } => {
                (consistency * rate.powf(exponent - 1.0)).clamp(bounds[0], bounds[1])
            }
            Self::Carreau { at_rest, sheared, relaxation, exponent } => {
                sheared + (at_rest - sheared) * (1.0 + (relaxation * rate).powi(2)).powf(0.5 * (exponent - 1.0))
            }
        }
    }

    /// Whether all its numbers make sense.
    pub(crate) fn is_valid(&self) -> bool {
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        match *self {
            Self::Newtonian(value) => value >= 0.0 && value.is_finite(),
            Self::PowerLaw { consistency, exponent, bounds } => {
                is_positive(consistency)
                    && is_positive(exponent)
                    && is_positive(bounds[0])
                    && bounds[0] <= bounds[1]
                    && bounds[1].is_finite()
            }
            Self::Carreau { at_rest, sheared, relaxation, exponent } => {
                is_positive(at_rest)
                    && sheared >= 0.0
                    && sheared.is_finite()
                    && is_positive(relaxation)
                    && is_positive(exponent)
            }
        }
    }

    /// A constant viscosity to compare with.
    pub fn typical(&self) -> f64 {
        match *self {
            Self::Newtonian(value) => value,
            Self::PowerLaw { consistency, bounds, .. } => consistency.clamp(bounds[0], bounds[1]),
            Self::Carreau { at_rest, .. } => at_rest,
        }
    }
}
