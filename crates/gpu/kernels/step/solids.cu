// Solids that move: distances, openings and velocities at one moment, as `Geometry` of the processor has them.

// Distance to the border of the grid from within; negative outside.
__device__ inline double border_distance(const DeviceStep &s, const double *point) {
    double least = INFINITY;
    for (int axis = 0; axis < DIM; axis++)
        least = fmin(fmin(least, point[axis] - s.lower[axis]), s.upper[axis] - point[axis]);
    return least;
}

// The nearest solid, its distance in `least`. Of two at the same distance the first one counts, and none that is not
// nearer than `least` was: then −1.
__device__ inline int nearest_solid(const DeviceStep &s, const double *point, double &least) {
    int nearest = -1;
    for (int number = 0; number < s.solid_count; number++) {
        const DeviceSolid &solid = s.solids[number];
        double rest[DIM];
        const double *at = point;
        if (solid.is_posed) at_rest(solid.rotation, solid.translation, point, rest), at = rest;
        double distance = distance_to(s.parts + solid.first, solid.parts, at);
        if (distance < least) least = distance, nearest = number;
    }
    return nearest;
}

__device__ inline double velocity_of(const DeviceStep &s, const DeviceSolid &solid, int axis, const double *point) {
    double value = solid.velocity[axis];
    for (int along = 0; along < DIM; along++)
        value += solid.gradient[DIM * axis + along] * (point[along] - s.lower[along]);
    return value;
}

// A place in metres.
__device__ inline void point_of(const DeviceStep &s, const Place &place, double *point) {
    for (int axis = 0; axis < DIM; axis++)
        point[axis] = s.lower[axis] + s.length * (place.cell[axis] + (double)place.part[axis]);
}

// The velocity of the nearest solid at a place. Where the host places the solids, it is that between the faces around.
__device__ inline void velocity_of_nearest(const DeviceStep &s, const Place &place, float *velocity) {
    if (!s.solid_count) {
        velocity_at(s.cells, s.solid_velocity, place, velocity);
        return;
    }
    double point[DIM];
    point_of(s, place, point);
    double least = border_distance(s, point);
    int nearest = nearest_solid(s, point, least);
    for (int axis = 0; axis < DIM; axis++)
        velocity[axis] = nearest < 0 ? 0.0f : (float)velocity_of(s, s.solids[nearest], axis, point);
}

// Moves a particle out of a solid and removes the part of its velocity that points into it. The part that points away
// stays; otherwise the wall would hold the particle. IS_MOVING: solids have a velocity of their own.
template <bool IS_MOVING> __device__ inline void push_out(const DeviceStep &s, Place &place, float *velocity) {
    int cell[DIM];
    bool is_at_border = false;
    for (int axis = 0; axis < DIM; axis++) {
        cell[axis] = place.cell[axis] < 0 ? 0 : min(place.cell[axis], s.cells[axis] - 1);
        is_at_border |= cell[axis] == 0 || cell[axis] + 1 >= s.cells[axis];
    }
    if (!is_at_border && s.space[cell_index(s.cells, cell)] >= 1.0f) return;
    for (int turn = 0; turn < 2; turn++) {
        float distance = solid_at(s, place);
        if (distance >= s.clearance) break;
        float normal[DIM], of_solid[DIM], outward = 0.0f;
        solid_normal(s, place, normal);
        for (int axis = 0; axis < DIM; axis++) of_solid[axis] = 0.0f;
        if (IS_MOVING) velocity_of_nearest(s, place, of_solid);
        for (int axis = 0; axis < DIM; axis++) outward += (velocity[axis] - of_solid[axis]) * normal[axis];
        for (int axis = 0; axis < DIM; axis++) {
            place.part[axis] += (s.clearance - distance) * normal[axis];
            velocity[axis] -= fminf(outward, 0.0f) * normal[axis];
        }
        settle(place);
    }
    for (int axis = 0; axis < DIM; axis++) {
        int last = s.cells[axis] - 1;
        if (place.cell[axis] < 0) place.cell[axis] = 0, place.part[axis] = 0.0f;
        if (place.cell[axis] > last) place.cell[axis] = last, place.part[axis] = 1.0f;
        if (place.cell[axis] == 0) place.part[axis] = fmaxf(place.part[axis], s.clearance);
        if (place.cell[axis] == last) place.part[axis] = fminf(place.part[axis], 1.0f - s.clearance);
    }
}

// Part of the space within a cell of a point that is open, with linear weights, if a plane wall lies `depth` cells away.
__device__ inline double open_space(double depth) {
    depth = fmin(fmax(depth, -1.0), 1.0);
    return 0.5 + depth - 0.5 * depth * fabs(depth);
}

// Distances at nodes, what is near the centres of cells, and velocities across faces.
BARRIER_KERNEL(place_solids) {
    const DeviceStep &s = a.liquid;
    double driven = 0.0;
    for (int own = OWN_THREAD(), at[DIM]; node_at(s.cells, own, at); own += gridDim.x * blockDim.x) {
        double point[DIM], least;
        for (int axis = 0; axis < DIM; axis++) point[axis] = s.lower[axis] + at[axis] * s.length;
        least = border_distance(s, point);
        nearest_solid(s, point, least);
        s.solid_exact[own] = least;
        for (int axis = 0; axis < DIM; axis++) point[axis] = s.lower[axis] + (at[axis] + 0.5) * s.length;
        if (is_inside(s.cells, at)) {
            int cell = cell_index(s.cells, at), nearest;
            nearest = nearest_solid(s, point, least = INFINITY);
            s.space[cell] = (float)open_space(least / s.length);
            bool is_border = border_distance(s, point) <= least || nearest < 0;
            s.separating[cell] = is_border ? s.border_separates : s.solids[nearest].separates;
        }
        for (int axis = 0; axis < DIM; axis++) {
            if (!has_face(s.cells, axis, at)) continue;
            double centre = point[axis];
            point[axis] -= 0.5 * s.length;
            least = border_distance(s, point);
            int nearest = nearest_solid(s, point, least);
            double velocity = nearest < 0 ? 0.0 : velocity_of(s, s.solids[nearest], axis, point);
            s.solid_velocity[axis][face_index(s.cells, axis, at)] = (float)velocity;
            driven = larger(driven, fabs(velocity));
            point[axis] = centre;
        }
    }
    if (reduce<1, true>(a, &driven)) s.totals->driven = driven;
}

// The part of an edge on which a linear function is positive.
__device__ inline double open_part_of_edge(double one, double other) {
    if ((one > 0.0) == (other > 0.0)) return one > 0.0;
    return one > 0.0 ? one / (one - other) : other / (other - one);
}

// The part of the unit square on which a function is positive: the area inside of the polygon through its zeros on the
// edges. The corners are given in order around the square.
__device__ inline double open_part_of_square(const double *corner) {
    const double x[4] = {0.0, 1.0, 1.0, 0.0}, y[4] = {0.0, 0.0, 1.0, 1.0};
    bool is_open[4];
    double sum = 0.0;
    int open = 0, solid = 0;
    for (int n = 0; n < 4; n++) {
        is_open[n] = corner[n] > 0.0, sum += corner[n];
        open += is_open[n], solid += corner[n] < 0.0;
    }
    if (!solid) return open > 0;
    bool is_saddle = is_open[0] == is_open[2] && is_open[1] == is_open[3] && is_open[0] != is_open[1];
    if (is_saddle && sum <= 0.0) {
        double area = 0.0; // of two separate triangles
        for (int n = 0; n < 4; n++)
            if (is_open[n])
                area += 0.5 * open_part_of_edge(corner[n], corner[(n + 1) % 4]) *
                        open_part_of_edge(corner[n], corner[(n + 3) % 4]);
        return area;
    }
    double twice = 0.0, first[2], last[2] = {0.0, 0.0};
    bool has_first = false;
    for (int step = 0; step < 8; step++) {
        int n = step / 2, next = (n + 1) % 4;
        double here[2] = {x[n], y[n]};
        if (step & 1 ? is_open[n] == is_open[next] : !is_open[n]) continue;
        if (step & 1) {
            double part = corner[n] / (corner[n] - corner[next]);
            here[0] += part * (x[next] - x[n]), here[1] += part * (y[next] - y[n]);
        }
        twice += last[0] * here[1] - last[1] * here[0];
        if (!has_first) first[0] = here[0], first[1] = here[1], has_first = true;
        last[0] = here[0], last[1] = here[1];
    }
    if (!has_first) return 0.0;
    twice += last[0] * first[1] - last[1] * first[0];
    return fmin(fmax(0.5 * twice, 0.0), 1.0);
}

__device__ inline double solid_at_corner(const DeviceStep &s, const int *at, int axis, int one, int two) {
    int node[DIM], others = 0;
    for (int other = 0; other < DIM; other++) node[other] = at[other] + (other == axis ? 0 : others++ ? two : one);
    return s.solid_exact[node_index(s.cells, node)];
}

// The open part of a face; one that is open by next to nothing is closed.
__device__ inline double open_part_of_face(const DeviceStep &s, int axis, const int *at) {
    double corner[4];
    for (int n = 0; n < 4; n++) {
        corner[n] = DIM == 3 || n < 2 ? solid_at_corner(s, at, axis, n == 1 || n == 2, n / 2) : 0.0;
        if (DIM == 3 && fabs(corner[n]) <= s.touches * s.length) corner[n] = 0.0; // on the surface
    }
    double open = DIM == 3 ? open_part_of_square(corner) : open_part_of_edge(corner[0], corner[1]);
    return open < s.closed ? 0.0 : open;
}

__device__ inline double open_part_of_cell(const DeviceStep &s, const int *at) {
    double corner[1 << DIM];
    for (int choice = 0; choice < 1 << DIM; choice++) {
        int node[DIM];
        for (int axis = 0; axis < DIM; axis++) node[axis] = at[axis] + (choice >> axis & 1);
        corner[choice] = s.solid_exact[node_index(s.cells, node)];
    }
    for (int axis = DIM - 1; axis >= 0; axis--)
        for (int one = 0; one < 1 << axis; one++) corner[one] += 0.5 * (corner[one + (1 << axis)] - corner[one]);
    return fmin(fmax(0.5 + corner[0] / s.length, 0.0), 1.0);
}

// From the distances at nodes: what the stages of a step read of walls.
KERNEL(open_walls) {
    const DeviceStep &s = a.liquid;
    OWN_NODE_OR_RETURN(s.cells, at);
    s.solid[OWN_THREAD()] = (float)(s.solid_exact[OWN_THREAD()] / s.length);
    for (int axis = 0; axis < DIM; axis++)
        if (has_face(s.cells, axis, at))
            s.open[axis][face_index(s.cells, axis, at)] = (float)open_part_of_face(s, axis, at);
    if (is_inside(s.cells, at)) s.cell_open[cell_index(s.cells, at)] = (float)open_part_of_cell(s, at);
}

// The same for the pressure problem, in double precision.
KERNEL(hand_over_walls) {
    const DeviceStep &s = a.liquid;
    const DeviceFields &f = *a.fields;
    OWN_NODE_OR_RETURN(s.cells, at);
    for (int axis = 0; axis < DIM; axis++)
        if (has_face(s.cells, axis, at)) f.open[axis][face_index(s.cells, axis, at)] = open_part_of_face(s, axis, at);
    if (!is_inside(s.cells, at)) return;
    int cell = cell_index(s.cells, at);
    f.cell_open[cell] = open_part_of_cell(s, at);
    f.separating[cell] = s.separating[cell];
}
