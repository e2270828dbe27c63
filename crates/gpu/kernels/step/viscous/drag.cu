// What walls and sources do to viscous liquid, and the right-hand side.

// The faces of a cell across an axis: whether they are open, and the velocity of the wall there.
struct Sides {
    bool is_open[2];
    int count;
};

__device__ inline Sides open_sides(const DeviceStep &s, const int *place, int axis) {
    Sides sides;
    int above[DIM];
    shifted(place, axis, 1, above);
    sides.is_open[0] = box_face_open(s, axis, place) > 0.0f;
    sides.is_open[1] = box_face_open(s, axis, above) > 0.0f;
    sides.count = sides.is_open[0] + sides.is_open[1];
    return sides;
}

__device__ inline double velocity_of_wall(const DeviceStep &s, int axis, const int *place) {
    if (!s.solid_velocity[axis]) return 0.0;
    int at[DIM];
    on_grid(s, place, at);
    return s.solid_velocity[axis][face_index(s.cells, axis, at)];
}

// The velocity of the liquid at a face of a cell relative to the wall, in this round or before stress has acted.
__device__ inline double sliding_at(const DeviceStep &s, int axis, const int *place, int own, int side, bool is_now) {
    int face[DIM], index = own + side * s.viscous.fine.stride[axis];
    shifted(place, axis, side, face);
    double velocity = is_now ? velocity_in_round(s.viscous, axis, index)
                             : (double)s.viscous.before[axis * s.viscous.fine.places + index];
    return velocity - velocity_of_wall(s, axis, face);
}

// The velocity of the liquid in a cell relative to the wall.
__device__ inline double sliding_in(const DeviceStep &s, int axis, const int *place, int own, bool is_now) {
    Sides sides = open_sides(s, place, axis);
    double sum = 0.0;
    for (int side = 0; side < 2; side++)
        if (sides.is_open[side]) sum += sliding_at(s, axis, place, own, side, is_now);
    return sides.count ? sum / sides.count : 0.0;
}

// The velocity at which liquid comes towards a closed face of a cell from the open one across; false if there is not one of
// each.
__device__ inline bool approach_along(const DeviceStep &s, int axis, const int *place, int own, double &approach) {
    Sides sides = open_sides(s, place, axis);
    if (sides.count != 1) return false;
    int side = sides.is_open[1];
    approach = (side ? -1.0 : 1.0) * sliding_at(s, axis, place, own, side, true);
    return true;
}

// Pressure over density of a cell: that of the last step, and where it is not known, the prediction.
__device__ inline double load_at(const DeviceStep &s, int cell) {
    float before = s.viscous.pressure_before[cell];
    return before > 0.0f ? before : s.pressure[cell];
}

// The same at the wall of a cell: as much of its slope as the wall is away.
__device__ inline double load_on_wall(const DeviceStep &s, const int *place) {
    int at[DIM], own;
    on_grid(s, place, at);
    own = cell_index(s.cells, at);
    double here = load_at(s, own), on_wall = here;
    for (int axis = 0; axis < DIM; axis++) {
        Sides sides = open_sides(s, place, axis);
        if (sides.count != 1) continue;
        int next[DIM];
        shifted(at, axis, sides.is_open[0] ? -1 : 1, next);
        on_wall += (s.cell_open[own] - 0.5) * (here - load_at(s, cell_index(s.cells, next)));
    }
    return fmax(on_wall, 0.0);
}

// The wall in a cell with liquid: its wet area in faces of cells, and its normal into the liquid. False if there is none, or
// if it has let go of the liquid.
__device__ inline bool wall_in(const DeviceStep &s, const int *place, int own, double &area, double *normal) {
    double square = 0.0, size, towards = 0.0;
    for (int axis = 0; axis < DIM; axis++) {
        int above[DIM];
        shifted(place, axis, 1, above);
        double below = box_face_open(s, axis, place), beyond = box_face_open(s, axis, above);
        // A gap of one cell has two walls that would cancel.
        normal[axis] = below == 0.0 && beyond == 0.0 ? 2.0 : beyond - below;
        square += normal[axis] * normal[axis];
    }
    if (!(square > 0.0)) return false;
    size = sqrt(square);
    // The surface where it meets the wall, half a cell along the normal.
    Plane plane = surface_in(s, place, 0);
    for (int axis = 0; axis < DIM; axis++) normal[axis] /= size, towards += plane.slope[axis] * normal[axis];
    for (int axis = 0; axis < DIM; axis++) plane.slope[axis] -= towards * normal[axis];
    double wet = part_behind_plane(plane.slope, plane.distance - 0.5 * towards);
    if (!(wet > 0.0)) return false;
    area = fmin(size, 2.0) * wet;
    int at[DIM];
    on_grid(s, place, at);
    if (!s.separated[cell_index(s.cells, at)]) return true;
    double leaving = 0.0, squared = 0.0;
    for (int axis = 0; axis < DIM; axis++) {
        double sliding = sliding_in(s, axis, place, own, false);
        leaving += sliding * normal[axis], squared += sliding * sliding;
    }
    return !(leaving > 0.0 && leaving * leaving > s.viscous.leaves * s.viscous.leaves * squared);
}

// The coefficient of the drag of each cell's wall for its open faces across each axis; it also clears what sources hold.
KERNEL(drag_walls) {
    const DeviceStep &s = a.liquid;
    const DeviceViscous &v = s.viscous;
    OWN_BOX_PLACE_OR_RETURN(v.fine, place, own);
    for (int axis = 0; axis < DIM; axis++) {
        int face = axis * v.fine.places + own;
        v.fine.d[face] = v.fine.b[face] = v.fine.r[face] = 0.0f;
    }
    double area, normal[DIM], tangent[DIM];
    double open = cell_open_at(s, place);
    if (!(open > 0.0) || !wall_in(s, place, own, area, normal)) return;
    int at[DIM], cell;
    on_grid(s, place, at);
    cell = cell_index(s.cells, at);
    double stiffness = v.scale * viscosity_at(v, own), distance = fmax(0.5 * open, v.least_distance);
    double across = 2.0 * stiffness / fmax(2.0 * distance, v.least_width), coefficient = 0.0;
    float law = v.drag ? v.drag[cell] : INFINITY;
    bool is_pressed = load_at(s, cell) > 0.0, has_friction = __float_as_uint(law) >> 31;
    for (int axis = 0; axis < DIM; axis++) tangent[axis] = fmin(4.0 * (1.0 - normal[axis] * normal[axis]), 1.0);
    if (!has_friction) {
        coefficient = law == INFINITY ? 0.0 : stiffness / (distance + law / s.length);
    } else {
        double squared = 0.0, strain = 0.0, approach;
        for (int axis = 0; axis < DIM; axis++) {
            double sliding = sliding_in(s, axis, place, own, true);
            squared += tangent[axis] * sliding * sliding;
            // Stress has not acted on the velocity of the first round: its strain is no load.
            if (is_pressed && v.round > 0 && approach_along(s, axis, place, own, approach))
                strain += across * fmax(approach, 0.0);
        }
        double load = -law * (v.kick * load_on_wall(s, place) / s.length + strain);
        coefficient = fmin(load / fmax(sqrt(squared), LEAST_RATE), v.stops * (1.0 + stiffness));
    }
    for (int axis = 0; axis < DIM; axis++) {
        double approach;
        int count = open_sides(s, place, axis).count;
        // What friction allows depends on the load: there the wall must not pull.
        bool holds = is_pressed && approach_along(s, axis, place, own, approach) &&
                     (!has_friction || approach > 0.0 || v.round == 0);
        if (!count) continue;
        double value = area * coefficient * tangent[axis] / count;
        v.fine.d[axis * v.fine.places + own] = (float)(holds ? value + area * across : value);
    }
}

// Holds the liquid in a source at the velocity with which it enters, as a nozzle does. Once it has that velocity, nothing pulls,
// to the last digit.
KERNEL(hold_source) {
    const DeviceStep &s = a.liquid;
    const DeviceViscous &v = s.viscous;
    OWN_BOX_PLACE_OR_RETURN(v.fine, place, own);
    int at[DIM];
    on_grid(s, place, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!(box_face_open(s, axis, place) > 0.0f)) continue;
        if (!is_face_in_emitter(s, axis, at, v.mouth)) continue;
        double held = v.stops * (1.0 + v.scale * viscosity_at(v, own));
        int face = axis * v.fine.places + own;
        float apart = (float)s.emitters[s.emitter].velocity[axis] - v.before[face];
        v.fine.b[face] += (float)held, v.fine.r[face] += (float)(held * apart);
    }
}

// The rows of the faces: mass and drag, 1/diagonal, and the pull of walls and sources on liquid of another velocity.
BARRIER_KERNEL(join_faces) {
    const DeviceStep &s = a.liquid;
    const DeviceViscous &v = s.viscous;
    const ViscousLevel &l = v.fine;
    double stiffness = 0.0;
    for (int own = OWN_THREAD(); own < l.places; own += gridDim.x * blockDim.x) {
        int place[DIM];
        cell_at(l.shape, own, place);
        for (int axis = 0; axis < DIM; axis++) {
            int face = axis * l.places + own, below[DIM];
            double drag = 0.0, strain = 0.0, mass = 0.0;
            v.residual[face] = 0.0;
            shifted(place, axis, -1, below);
            if (box_face_open(s, axis, place) > 0.0f) {
                double room = 0.5 * ((double)cell_open_at(s, place) + cell_open_at(s, below));
                mass = fmax(room * liquid_part(s, place, 1 << axis), v.least_mass);
                drag = (double)l.d[face] + l.d[face - l.stride[axis]];
                v.residual[face] = drag * (velocity_of_wall(s, axis, place) - v.before[face]) + l.r[face];
                drag += l.b[face];
            }
            if (is_inner(l, own)) strain = strain_diagonal(l, axis, own);
            double diagonal = drag + strain;
            if (!(diagonal > 0.0)) mass = 0.0;
            stiffness = larger(stiffness, strain);
            l.face[face] = (float)(drag + mass);
            l.inverse[face] = diagonal > 0.0 ? (float)(1.0 / (diagonal + mass)) : 0.0f;
        }
    }
    if (reduce<1, true>(a, &stiffness)) v.sums->stiffness = stiffness;
}
