// Walls that pull: how low the pressure may fall before a wall lets go. pressure/pull.rs of unstick_liquid says why.

// Whether a wall pulls at the liquid of a cell.
__device__ inline bool is_pulled(const DeviceStep &s, const int *at, int own) {
    if (!s.adhesion || !(s.adhesion[own] > 0.0f) || !(s.liquid[own] < 0.0f)) return false;
    bool is_at_wall = false;
    for (int side = 0; side < SIDES; side++) is_at_wall |= open_on(s, at, side) < 1.0f;
    return is_at_wall;
}

// Whether the liquid of a cell has touched its wall before this step.
__device__ inline bool has_touched(const DeviceStep &s, int own, float strength) {
    if (s.is_first) return true;
    bool has_let_go = s.separated[own] && s.pressure[own] > -s.touching * strength;
    return s.liquid_before[own] < 0.0f && !has_let_go;
}

// The pressure over density from one cell to the next along an axis, by the last step and from open faces between liquid.
// Before the first step it is that of liquid at rest.
__device__ inline double slope_along(const DeviceStep &s, const int *at, int own, int axis) {
    if (s.is_first) return s.kick[axis] / s.pressure_scale;
    double sum = 0.0;
    int count = 0;
    for (int upper = 0; upper < 2; upper++) {
        int other[DIM];
        if (!neighbour(s.cells, at, 2 * axis + upper, other)) continue;
        int index = cell_index(s.cells, other);
        if (!(open_on(s, at, 2 * axis + upper) > 0.0f && s.liquid_before[index] < 0.0f)) continue;
        double change = (double)s.pressure[index] - s.pressure[own];
        sum += upper ? change : -change, count++;
    }
    return count ? sum / count : 0.0;
}

// The width that has opened between the wall of a cell and its liquid: what the particles lack there.
__device__ inline double gap_at(const DeviceStep &s, const int *at, int own) {
    if (!s.separated[own]) return 0.0;
    double space = s.space[own], missing = fmax(1.0 - s.density[own], 0.0) * space;
    double weight = space < 1.0 ? 1.0 - solid_at_centre(s, at) : 1.0;
    return missing / fmin(fmax(weight, 0.5), 1.0);
}

// How much higher the pressure over density is at the wall than in the centre of a cell.
__device__ inline double continued_to_wall(const DeviceStep &s, const int *at, int own) {
    Place centre;
    for (int axis = 0; axis < DIM; axis++) centre.cell[axis] = at[axis], centre.part[axis] = 0.5f;
    float normal[DIM];
    solid_normal(s, centre, normal);
    double slope[DIM], gap = gap_at(s, at, own), lowest = 0.0;
    double way = fmax(fmin(fmax((double)solid_at(s, centre), 0.0), 1.0) - gap, 0.0);
    for (int axis = 0; axis < DIM; axis++) {
        slope[axis] = slope_along(s, at, own, axis);
        lowest -= way * normal[axis] * slope[axis];
    }
    for (int side = 0; side < SIDES; side++) {
        if (open_on(s, at, side) != 0.0f) continue;
        // Up to a wall across this axis the other faces are open.
        double beside = 0.5;
        for (int other = 0; other < SIDES; other++)
            if (other / 2 != side / 2) beside = fmax(beside, (double)open_on(s, at, other));
        double change = side & 1 ? slope[side / 2] : -slope[side / 2];
        lowest = fmin(lowest, fmax(beside - 0.5 - gap, 0.0) * change);
    }
    return lowest;
}

// The least scaled pressure of a cell: −(σ/ρ + what continues it to the wall) Δt/h.
__device__ inline double least_pressure(const DeviceStep &s, const int *at, int own) {
    float strength = s.adhesion[own];
    if (strength != strength) return strength; // which the host refuses, with the place
    if (!is_pulled(s, at, own) || !has_touched(s, own, strength)) return 0.0;
    double most = (double)s.most_continued * strength;
    double continued = fmin(fmax(continued_to_wall(s, at, own), -most), most);
    return -(strength + continued) * s.pressure_scale;
}

// Whether the wall beside a point in a solid still holds the liquid on its other side.
__device__ inline bool is_held_beside(const DeviceStep &s, Place place, const float *normal) {
    if (!s.adhesion) return false;
    float way = 0.5f - solid_at(s, place);
    for (int axis = 0; axis < DIM; axis++) place.part[axis] += way * normal[axis];
    settle(place);
    for (int axis = 0; axis < DIM; axis++) place.cell[axis] = max(0, min(place.cell[axis], s.cells[axis] - 1));
    int own = cell_index(s.cells, place.cell);
    return is_pulled(s, place.cell, own) && !s.separated[own];
}
