//! Lubrication: the resistance of the thin film between two surfaces that a grid cannot resolve.

use std::f64::consts::PI;

/// Force per velocity of approach, in N s/m, that a grid of the given `spacing` misses in a gap.
///
/// In space the leading term between spheres, 6π μ r²/gap with r the reduced radius ab/(a + b), the
/// radius itself at a plane wall; in the plane that between cylinders, per metre of depth,
/// 3π √2 μ (r/gap)^{3/2}. Beyond two cells the grid resolves the film and nothing is added. The value
/// at two cells is subtracted, so that the term sets in without a jump. Surfaces are rough on the scale of a
/// thousandth of their radius: the resistance does not grow below such a gap.
///
/// ```
/// use unstick_bodies::lubrication;
/// let (radius, viscosity, spacing) = (0.5, 1e-3, 0.05);
/// assert_eq!(lubrication::<3>(0.1, radius, viscosity, spacing), 0.0);
/// assert!(lubrication::<3>(0.01, radius, viscosity, spacing) > lubrication::<3>(0.05, radius, viscosity, spacing));
/// ```
pub fn lubrication<const D: usize>(gap: f64, radius: f64, viscosity: f64, spacing: f64) -> f64 {
    let resistance = |gap: f64| match D {
        2 => 3.0 * PI * 2f64.sqrt() * viscosity * (radius / gap).powf(1.5),
        _ => 6.0 * PI * viscosity * radius * radius / gap,
    };
    (resistance(gap.max(1e-3 * radius)) - resistance(2.0 * spacing)).max(0.0)
}
