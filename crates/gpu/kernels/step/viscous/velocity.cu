// From the velocity on the grid to that in the box of a viscous step, and back.

// The velocity before the pressure, to which stress adds its change.
KERNEL(apply_forces) {
    const DeviceStep &s = a.liquid;
    OWN_NODE_OR_RETURN(s.cells, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        int face = face_index(s.cells, axis, at);
        s.viscous.forced[axis][face] =
            (float)(s.gathered.value[axis][face] + s.kick[axis] + pull_of_surface(s, axis, at));
    }
}

// Whether a place is that of a face of the box across an axis.
__device__ inline bool is_face_of_box(const DeviceStep &s, int axis, const int *place) {
    bool is_one = true;
    for (int along = 0; along < DIM; along++)
        is_one &= place[along] >= VISCOUS_RIM &&
                  place[along] < s.viscous.fine.cells[along] + VISCOUS_RIM + (along == axis);
    return is_one;
}

// The velocity after the predicted pressure, of which only the change is carried beyond the liquid. Nothing has changed yet.
KERNEL(enter_box) {
    const DeviceStep &s = a.liquid;
    const DeviceViscous &v = s.viscous;
    OWN_BOX_PLACE_OR_RETURN(v.fine, place, own);
    for (int axis = 0; axis < DIM; axis++) {
        int at[DIM], face = axis * v.fine.places + own;
        v.change[face] = 0.0, v.before[face] = 0.0f;
        if (!is_face_of_box(s, axis, place)) continue;
        on_grid(s, place, at);
        int on = face_index(s.cells, axis, at);
        v.before[face] = v.forced[axis][on] + s.carrying.value[axis][on];
    }
}

// Adds what stress has changed.
KERNEL(leave_box) {
    const DeviceStep &s = a.liquid;
    const DeviceViscous &v = s.viscous;
    OWN_BOX_PLACE_OR_RETURN(v.fine, place, own);
    for (int axis = 0; axis < DIM; axis++) {
        if (!is_face_of_box(s, axis, place)) continue;
        int at[DIM];
        on_grid(s, place, at);
        float &value = v.forced[axis][face_index(s.cells, axis, at)];
        value = (float)(value + v.change[axis * v.fine.places + own]);
    }
}

// The first layer beyond the liquid keeps the velocity of its particles and takes on the change of the faces beside it. A
// velocity that were the same there would not turn with liquid that turns.
KERNEL(carry_change) {
    const DeviceStep &s = a.liquid;
    OWN_NEAR_NODE_OR_RETURN(s, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        u8 *known = s.gathered.known[axis];
        int face = face_index(s.cells, axis, at), stride = 1, count = 0;
        float change = 0.0f;
        if (known[face] || !s.carrying.known[axis][face] || !(s.open[axis][face] > 0.0f)) continue;
        for (int along = 0; along < DIM; along++) {
            int last = s.cells[along] - (along != axis);
            for (int side = 0; side < 2; side++) {
                if (at[along] == (side ? last : 0)) continue;
                int next = face + (side ? stride : -stride);
                if (known[next] != 1) continue;
                change += s.carrying.value[axis][next] - s.gathered.value[axis][next], count++;
            }
            stride *= last + 1;
        }
        if (!count) continue;
        s.carrying.value[axis][face] = s.gathered.value[axis][face] + change / (float)count;
        known[face] = 2;
    }
}
