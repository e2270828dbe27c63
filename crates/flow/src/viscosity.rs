//! How viscous the liquid is.

/// Kinematic viscosity. The liquid may thin or thicken with the shear rate.
///
/// The shear rate is γ = √(2 E:E), E = (∇u + ∇u^T)/2.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Viscosity {
    /// The same everywhere.
    Newtonian(f64),
    /// ν = consistency γ^(exponent − 1) between two bounds, which give it a value at rest.
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
    /// ν = stress/γ + consistency γ^(exponent − 1), at most that at rest: Herschel and Bulkley's law, and Bingham's for an
    /// exponent of one. Below the stress the liquid creeps as its viscosity at rest lets it.
    Yield {
        /// Stress over density at which it starts to flow, m²/s².
        stress: f64,
        /// What viscosity the flow adds at γ = 1/s.
        consistency: f64,
        /// Below 1 the liquid thins.
        exponent: f64,
        /// Largest viscosity.
        at_rest: f64,
    },
}

impl Viscosity {
    /// The viscosity at a shear rate.
    pub fn at(&self, rate: f64) -> f64 {
        match *self {
            Self::Newtonian(value) => value,
            Self::PowerLaw { consistency, exponent, bounds } => {
                (consistency * rate.powf(exponent - 1.0)).clamp(bounds[0], bounds[1])
            }
            Self::Carreau { at_rest, sheared, relaxation, exponent } => {
                sheared + (at_rest - sheared) * (1.0 + (relaxation * rate).powi(2)).powf(0.5 * (exponent - 1.0))
            }
            Self::Yield { stress, consistency, exponent, at_rest } => {
                let rate = rate.max(f64::MIN_POSITIVE);
                (stress / rate + consistency * rate.powf(exponent - 1.0)).min(at_rest)
            }
        }
    }

    /// Whether all its numbers make sense.
    pub fn is_valid(&self) -> bool {
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
            Self::Yield { stress, consistency, exponent, at_rest } => {
                let is_number = |value: f64| value >= 0.0 && value.is_finite();
                is_number(stress) && is_number(consistency) && is_positive(exponent) && is_positive(at_rest)
            }
        }
    }

    /// A constant viscosity to compare with.
    pub fn typical(&self) -> f64 {
        match *self {
            Self::Newtonian(value) => value,
            Self::PowerLaw { consistency, bounds, .. } => consistency.clamp(bounds[0], bounds[1]),
            Self::Carreau { at_rest, .. } | Self::Yield { at_rest, .. } => at_rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_go_from_their_value_at_rest_to_that_under_shear() {
        let carreau = Viscosity::Carreau { at_rest: 2.0, sheared: 0.5, relaxation: 3.0, exponent: 0.2 };
        assert_eq!((carreau.at(0.0), carreau.typical()), (2.0, 2.0));
        assert!((carreau.at(1e9) - 0.5).abs() < 1e-4 && carreau.at(1.0) < carreau.at(0.1));
        let power = Viscosity::PowerLaw { consistency: 0.3, exponent: 0.5, bounds: [0.1, 5.0] };
        assert_eq!([power.at(0.0), power.at(1.0), power.at(1e6)], [5.0, 0.3, 0.1]);
        let mud = Viscosity::Yield { stress: 2.0, consistency: 0.5, exponent: 1.0, at_rest: 100.0 };
        assert_eq!([mud.at(0.0), mud.at(1.0), mud.at(4.0), mud.typical()], [100.0, 2.5, 1.0, 100.0]);
        assert_eq!(Viscosity::Newtonian(0.7).at(12.0), 0.7);
    }

    #[test]
    fn laws_without_positive_numbers_are_not_valid() {
        assert!(!Viscosity::Newtonian(f64::NAN).is_valid() && !Viscosity::Newtonian(-1.0).is_valid());
        assert!(!Viscosity::PowerLaw { consistency: 1.0, exponent: 1.0, bounds: [2.0, 1.0] }.is_valid());
        assert!(!Viscosity::Yield { stress: 1.0, consistency: 0.0, exponent: 1.0, at_rest: 0.0 }.is_valid());
        assert!(!Viscosity::Carreau { at_rest: 0.0, sheared: 0.0, relaxation: 1.0, exponent: 1.0 }.is_valid());
    }
}
