// Density of the particles → distance to the liquid, and cells that have dried by chance.

__device__ inline float distance_of(float density) {
    if (density <= 0.0f) return 1.0f;
    density = fminf(density, 1.0f);
    return density > 0.5f ? sqrtf(2.0f * (1.0f - density)) - 1.0f : 1.0f - sqrtf(2.0f * density);
}

// The distance to the surface from a cell with liquid, as a part of the way to the next.
__device__ inline double theta_of(double inside, double outside, double least) {
    double theta = inside / (inside - (outside > 0.0 ? outside : 0.0));
    return theta < least ? least : theta > 1.0 ? 1.0 : theta;
}

// The cell on a side; false beyond the border.
__device__ inline bool neighbour(const int *cells, const int *at, int side, int *other) {
    for (int axis = 0; axis < DIM; axis++) other[axis] = at[axis];
    other[side / 2] += side & 1 ? 1 : -1;
    return is_inside(cells, other);
}

// The distance to the liquid, extended into solids so that the surface meets walls at a right angle.
KERNEL(track_surface) {
    const DeviceStep &s = a.liquid;
    OWN_CELL_OR_RETURN(s.cells, at, own);
    if (s.space[own] > s.too_closed) {
        s.liquid[own] = distance_of(s.density[own]);
        return;
    }
    float least = 1.0f;
    for (int side = 0; side < SIDES; side++) {
        int other[DIM];
        if (!neighbour(s.cells, at, side, other)) continue;
        int index = cell_index(s.cells, other);
        if (s.space[index] > s.too_closed) least = fminf(least, distance_of(s.density[index]));
    }
    s.liquid[own] = least;
}

__device__ inline bool has_dried(const DeviceStep &s, int cell) {
    return s.liquid[cell] >= 0.0f && s.liquid_before[cell] < 0.0f && s.pressure[cell] > 0.0f;
}

// The open part of the face on a side of a cell.
__device__ inline float open_on(const DeviceStep &s, const int *at, int side) {
    int face[DIM];
    for (int axis = 0; axis < DIM; axis++) face[axis] = at[axis] + (axis == side / 2 ? side & 1 : 0);
    return s.open[side / 2][face_index(s.cells, side / 2, face)];
}

// Gaps have at most as many cells as a block of four along each axis.
#define LARGEST_GAP (DIM == 3 ? 64 : 16)

// Marks cells that have dried among wet ones although they were under pressure. Every cell of a gap finds the same gap.
KERNEL(find_gaps) {
    const DeviceStep &s = a.liquid;
    OWN_CELL_OR_RETURN(s.cells, at, own);
    s.gaps[own] = 0;
    if (!has_dried(s, own)) return;
    int gap[LARGEST_GAP], count = 1;
    gap[0] = own;
    for (int seen = 0; seen < count; seen++) {
        cell_at(s.cells, gap[seen], at);
        for (int side = 0; side < SIDES; side++) {
            if (open_on(s, at, side) == 0.0f) continue;
            int other[DIM];
            if (!neighbour(s.cells, at, side, other)) return;
            int index = cell_index(s.cells, other);
            if (s.liquid[index] < 0.0f) continue;
            bool is_known = false;
            for (int n = 0; n < count; n++) is_known |= gap[n] == index;
            if (is_known) continue;
            if (!has_dried(s, index) || count == LARGEST_GAP) return;
            gap[count++] = index;
        }
    }
    s.gaps[own] = 1;
}

// Fills the gaps, and finds the box that holds the liquid.
BARRIER_KERNEL(fill_gaps) {
    const DeviceStep &s = a.liquid;
    double v[6];
    for (int n = 0; n < 6; n++) v[n] = -1e9;
    for (int own = OWN_THREAD(); own < cell_count_of(s.cells); own += gridDim.x * blockDim.x) {
        if (s.gaps[own]) s.liquid[own] = -0.5f;
        if (!(s.liquid[own] < 0.0f)) continue;
        int at[DIM];
        cell_at(s.cells, own, at);
        for (int axis = 0; axis < DIM; axis++) {
            v[axis] = larger(v[axis], (double)at[axis]);
            v[3 + axis] = larger(v[3 + axis], (double)-at[axis]);
        }
    }
    if (!reduce_both<0, 6>(a, v)) return;
    for (int n = 0; n < 6; n++) s.totals->window[n] = v[n];
}

// Closed cells, for what is shown of the surface.
__device__ inline bool is_closed(const DeviceStep &s, int cell) { return s.cell_open[cell] == 0.0f; }

__device__ inline float content_of(const DeviceStep &s, int cell) {
    return s.density[cell] * fmaxf(s.space[cell], s.too_closed);
}

// The thickness of the film in an open cell; zero where there is no wall or no film.
__device__ inline float film_in(const DeviceStep &s, const int *at, int own) {
    if (s.liquid[own] < 0.0f || s.space[own] >= 1.0f) return 0.0f;
    float thickness = content_of(s, own);
    bool has_wall = false;
    for (int side = 0; side < SIDES; side++) {
        int other[DIM];
        if (!neighbour(s.cells, at, side, other)) continue;
        int index = cell_index(s.cells, other);
        if (!is_closed(s, index)) continue;
        has_wall = true;
        thickness += content_of(s, index);
    }
    return has_wall && thickness > s.thinnest ? thickness : 0.0f;
}

// The surface with films on solids, and without gaps at walls.
KERNEL(show_surface) {
    const DeviceStep &s = a.liquid;
    OWN_CELL_OR_RETURN(s.cells, at, own);
    float value = s.liquid[own];
    if (s.has_solids && !is_closed(s, own)) {
        float film = film_in(s, at, own);
        if (film > 0.0f) value = fminf(value, solid_at_centre(s, at) - film);
    } else if (s.has_solids) {
        value = 1.0f;
        for (int side = 0; side < SIDES; side++) {
            int other[DIM];
            if (!neighbour(s.cells, at, side, other)) continue;
            int index = cell_index(s.cells, other);
            if (is_closed(s, index)) continue;
            float film = film_in(s, other, index);
            value = fminf(value, film > 0.0f ? solid_at_centre(s, at) - film : s.liquid[index]);
        }
    }
    s.shown[own] = value;
}
