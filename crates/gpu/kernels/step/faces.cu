// Velocity at faces: to the pressure and back, beyond the liquid, and out of solids.

// One more layer of faces gets the mean of its known neighbours. Those of this layer do not see each other. With spray, a
// face that particles have reached becomes faster than it was only as far as the pressure has made a change beside it.
template <bool SPRAY> __device__ inline void add_to_layer(const DeviceStep &s, int axis, const int *at) {
    float *value = s.spreading.value[axis];
    u8 *known = s.spreading.known[axis];
    int face = face_index(s.lattice, axis, at), stride = 1;
    if (known[face]) return;
    float sum = 0.0f, change = 0.0f;
    int count = 0;
    for (int along = 0; along < DIM; along++) {
        int last = s.lattice[along] - (along != axis);
        for (int side = 0; side < 2; side++) {
            if (at[along] == (side ? last : 0)) continue;
            int next = face + (side ? stride : -stride), layer = known[next];
            if (!layer || layer >= s.layer) continue;
            sum += value[next], count++;
            if (SPRAY) change += value[next] - (float)(s.gathered.value[axis][next] + s.kick[axis]);
        }
        stride *= last + 1;
    }
    if (!count) return;
    float mean = sum / (float)count, own = value[face], pushed = own + change / (float)count;
    bool has_spray = SPRAY && s.carrying.known[axis][face] && s.open[axis][face] > 0.0f;
    value[face] = has_spray ? clamped(mean, fminf(pushed, -fabsf(own)), fmaxf(pushed, fabsf(own))) : mean;
    known[face] = (u8)s.layer;
}

KERNEL(extrapolate_faces) {
    const DeviceStep &s = a.liquid;
    OWN_NEAR_NODE_OR_RETURN(s, at);
    for (int axis = 0; axis < DIM; axis++)
        if (has_face(s.lattice, axis, at)) add_to_layer<false>(s, axis, at);
}

// The first layer beyond the liquid.
KERNEL(carry_outwards) {
    const DeviceStep &s = a.liquid;
    OWN_NEAR_NODE_OR_RETURN(s, at);
    for (int axis = 0; axis < DIM; axis++)
        if (has_face(s.lattice, axis, at)) add_to_layer<true>(s, axis, at);
}

// The index of a cell in the window of the pressure problem; −1 outside.
__device__ inline int in_window(const DeviceFields &f, const int *at) {
    int index = 0;
    for (int axis = DIM - 1; axis >= 0; axis--) {
        int place = at[axis] - f.window_first[axis];
        if (place < 0 || place >= f.window_size[axis]) return -1;
        index = index * f.window_size[axis] + place;
    }
    return index;
}

// The velocity of a face before the pressure. With stress it has been stored.
__device__ inline double forced_velocity(const DeviceStep &s, int axis, const int *at, int face) {
    if (s.viscous.forced[axis]) return s.viscous.forced[axis][face];
    return s.gathered.value[axis][face] + s.kick[axis] + pull_of_surface(s, axis, at);
}

// The fields of the pressure problem: distances, velocity with forces, what moving walls carry across the faces, the
// iterate, what drives liquid off walls.
KERNEL(hand_over_fields) {
    const DeviceStep &s = a.liquid;
    const DeviceFields &f = *a.fields;
    OWN_NODE_OR_RETURN(f.liquid_size, at);
    int inside[DIM];
    for (int axis = 0; axis < DIM; axis++) inside[axis] = at[axis];
    for (int axis = 0; axis < DIM; axis++) at[axis] += f.liquid_first[axis];
    bool is_cell = is_inside(s.cells, at);
    int own = is_cell ? cell_index(s.cells, at) : 0;
    if (is_inside(f.liquid_size, inside)) f.liquid[cell_index(f.liquid_size, inside)] = s.liquid[own];
    int index = in_window(f, at);
    if (index >= 0) {
        f.guess[index] = s.pressure_scale * s.pressure[own];
        double control = s.control_at ? (double)s.control_at[own] : s.control;
        if (f.divergence)
            f.divergence[index] = s.separated[own] && s.cell_open[own] > 0.0f ? control / s.cell_open[own] : 0.0;
        if (f.lower) f.lower[index] = least_pressure(s, at, own);
    }
    for (int axis = 0; axis < DIM; axis++) {
        int place[DIM];
        bool is_there = true;
        for (int other = 0; other < DIM; other++) {
            place[other] = at[other] - f.window_first[other];
            is_there &= place[other] >= 0 && place[other] < f.window_size[other] + (other == axis);
        }
        if (!is_there) continue;
        int to = face_index(f.window_size, axis, place), face = face_index(s.cells, axis, at);
        f.velocity[axis][to] = forced_velocity(s, axis, at, face);
        if (f.flow[axis]) f.flow[axis][to] = s.solid_velocity[axis][face] * (1.0 - f.open[axis][face]);
    }
}

// A side of a face: the distance to the liquid, and the scaled pressure.
struct FaceSide {
    double distance, q;
    bool is_there;
};

// The gradient across a face, if there is liquid on either side. `width` is the length of a cell of this lattice.
__device__ inline bool gradient_across(const FaceSide &below, const FaceSide &above, double width, double least,
                                       double &gradient) {
    bool is_below = below.is_there && below.distance < 0.0, is_above = above.is_there && above.distance < 0.0;
    if (is_below && is_above)
        gradient = above.q - below.q;
    else if (is_below)
        gradient = -below.q / theta_of(below.distance, above.is_there ? above.distance : below.distance + width, least);
    else if (is_above)
        gradient = above.q / theta_of(above.distance, below.is_there ? below.distance : above.distance + width, least);
    return is_below || is_above;
}

// The answer to the pressure problem: pressure, walls that have let go, u ← u − ∇q; of a prediction −∇q alone.
template <bool IS_PREDICTED> __device__ inline void take_answer(const Args &a) {
    const DeviceStep &s = a.liquid;
    const DeviceFields &f = *a.fields;
    OWN_NODE_OR_RETURN(s.cells, at);
    FaceSide above;
    above.is_there = is_inside(s.cells, at);
    if (above.is_there) {
        int own = cell_index(s.cells, at), index = in_window(f, at);
        above.distance = s.liquid[own], above.q = index < 0 ? 0.0 : f.answer[index];
        s.pressure[own] = (float)(above.q / s.pressure_scale);
        s.separated[own] = index < 0 ? 0 : f.let_go[index];
    }
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        int face = face_index(s.cells, axis, at);
        double value = IS_PREDICTED ? 0.0 : forced_velocity(s, axis, at, face), gradient;
        bool is_known = false;
        if (s.open[axis][face] > 0.0f) {
            FaceSide below, upper = above;
            int cell[DIM];
            for (int other = 0; other < DIM; other++) cell[other] = at[other] - (other == axis);
            below.is_there = at[axis] > 0, upper.is_there = at[axis] < s.cells[axis];
            if (below.is_there) {
                int index = in_window(f, cell);
                below.distance = s.liquid[cell_index(s.cells, cell)], below.q = index < 0 ? 0.0 : f.answer[index];
            }
            is_known = gradient_across(below, upper, 1.0, f.min_theta, gradient);
            if (is_known) value -= gradient;
        }
        s.carrying.value[axis][face] = (float)value;
        s.gathered.known[axis][face] = is_known;
    }
}

KERNEL(take_pressure) { take_answer<false>(a); }

KERNEL(predict_velocity) { take_answer<true>(a); }

// Spray flies on by itself: beyond the first layer, faces that particles have reached keep their velocity.
KERNEL(keep_reached) {
    const DeviceStep &s = a.liquid;
    OWN_NEAR_NODE_OR_RETURN(s, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        int face = face_index(s.cells, axis, at);
        u8 *known = s.gathered.known[axis];
        if (!known[face] && s.carrying.known[axis][face] && s.open[axis][face] > 0.0f) known[face] = 1;
    }
}

// Keeps the velocity inside solids from leading deeper into them: at a separating wall only the inward part is removed,
// unless it still holds the liquid.
// What was gathered becomes what the step changes: u − keep u₀.
KERNEL(constrain_faces) {
    const DeviceStep &s = a.liquid;
    OWN_NODE_OR_RETURN(s.cells, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        int face = face_index(s.cells, axis, at);
        float value = s.carrying.value[axis][face];
        if (s.open[axis][face] == 0.0f && s.gathered.known[axis][face]) {
            Place place;
            int cell[DIM];
            for (int other = 0; other < DIM; other++) {
                place.cell[other] = at[other], place.part[other] = other == axis ? 0.0f : 0.5f;
                cell[other] = min(at[other], s.cells[other] - 1);
            }
            float normal[DIM], own[DIM], of_solid[DIM], outward = 0.0f;
            solid_normal(s, place, normal);
            velocity_at(s.cells, s.carrying.value, place, own);
            for (int other = 0; other < DIM; other++) of_solid[other] = 0.0f;
            if (s.solid_velocity[0]) velocity_at(s.cells, s.solid_velocity, place, of_solid);
            for (int other = 0; other < DIM; other++) outward += (own[other] - of_solid[other]) * normal[other];
            bool is_glued = !s.separating[cell_index(s.cells, cell)] || is_held_beside(s, place, normal);
            if (outward < 0.0f || is_glued) value = own[axis] - outward * normal[axis];
        }
        s.velocity.value[axis][face] = value;
        s.gathered.value[axis][face] = value - s.keep * s.gathered.value[axis][face];
    }
}
