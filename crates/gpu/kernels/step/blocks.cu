// The density of blocks of two cells along each axis, brought back to 1 by a projection of displacements. It is a sealed
// pressure problem on the blocks, whose fields these kernels write and whose answer they turn into a displacement.

// The cells of a block that lie on the grid.
#define FOR_CELLS_OF_BLOCK(s, block, cell)                                                                     \
    if (int cell[DIM]; true)                                                                                   \
        for (int choice_ = 0; choice_ < 1 << DIM; choice_++)                                                   \
            if (cell_of_block((s).cells, block, choice_, cell))

__device__ inline bool cell_of_block(const int *cells, const int *block, int choice, int *cell) {
    for (int axis = 0; axis < DIM; axis++) cell[axis] = 2 * block[axis] + (choice >> axis & 1);
    return is_inside(cells, cell);
}

// Means of the open parts; once for all steps with the same walls.
KERNEL(place_block_walls) {
    const DeviceStep &s = a.liquid;
    const DeviceFields &f = *a.fields;
    OWN_NODE_OR_RETURN(s.blocks, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.blocks, axis, at)) continue;
        double sum = 0.0;
        for (int choice = 0; choice < 1 << DIM; choice++) {
            int face[DIM];
            if (choice >> axis & 1) continue;
            for (int other = 0; other < DIM; other++) face[other] = 2 * at[other] + (choice >> other & 1);
            // Beyond the last face of an odd number of cells there is nothing.
            if (has_face(s.cells, axis, face) && face[axis] <= s.cells[axis])
                sum += s.open[axis][face_index(s.cells, axis, face)];
        }
        f.open[axis][face_index(s.blocks, axis, at)] = sum / (1 << (DIM - 1));
    }
    if (!is_inside(s.blocks, at)) return;
    double sum = 0.0;
    FOR_CELLS_OF_BLOCK(s, at, cell) sum += s.cell_open[cell_index(s.cells, cell)];
    int own = cell_index(s.blocks, at);
    f.cell_open[own] = sum / (1 << DIM);
    f.separating[own] = 0;
}

// The mean distance of the cells of each block, whether all are wet, what is in it and what it has room for.
KERNEL(fill_blocks) {
    const DeviceStep &s = a.liquid;
    const DeviceFields &f = *a.fields;
    OWN_CELL_OR_RETURN(s.blocks, at, own);
    double distance = 0.0;
    int count = 0;
    bool is_wet = true;
    float content = 0.0f, room = 0.0f;
    FOR_CELLS_OF_BLOCK(s, at, cell) {
        int index = cell_index(s.cells, cell);
        distance += s.liquid[index], count++;
        is_wet &= s.liquid[index] < 0.0f;
        content += content_of(s, index), room += s.space[index];
    }
    f.liquid[own] = distance / count, f.guess[own] = 0.0;
    s.wet[own] = is_wet, s.content[own] = content, s.room[own] = room;
}

__device__ inline bool is_closed_block(const DeviceFields &f, int block) { return f.cell_open[block] == 0.0; }

// Whether no wall of a block has let go, and no block beside it has air.
__device__ inline bool is_inner_block(const DeviceStep &s, const DeviceFields &f, const int *at, int own) {
    if (!s.wet[own]) return false;
    bool is_at_wall = false;
    for (int side = 0; side < SIDES; side++) {
        int other[DIM], face[DIM];
        for (int axis = 0; axis < DIM; axis++) face[axis] = at[axis] + (axis == side / 2 ? side & 1 : 0);
        is_at_wall |= f.open[side / 2][face_index(s.blocks, side / 2, face)] < 1.0;
        if (!neighbour(s.blocks, at, side, other)) continue;
        int index = cell_index(s.blocks, other);
        if (!s.wet[index] && !is_closed_block(f, index)) return false;
    }
    bool has_let_go = false;
    FOR_CELLS_OF_BLOCK(s, at, cell) has_let_go |= s.separated[cell_index(s.cells, cell)] != 0;
    return !is_at_wall || !has_let_go;
}

// The part by which a block is to grow. Blocks at the surface, or at a wall that has let go, need not be full: they only
// spread when they are crowded.
__device__ inline float growth_of(const DeviceStep &s, const DeviceFields &f, const int *at, int own) {
    if (f.liquid[own] >= 0.0 || is_closed_block(f, own)) return 0.0f;
    float present = s.content[own], room = s.room[own];
    // Linear weights put a part of the particles at a wall into the solid. It is theirs.
    for (int side = 0; side < SIDES; side++) {
        int solid[DIM], other[DIM], sharers = 0;
        if (!neighbour(s.blocks, at, side, solid)) continue;
        int index = cell_index(s.blocks, solid);
        if (!is_closed_block(f, index)) continue;
        for (int beside = 0; beside < SIDES; beside++)
            sharers += neighbour(s.blocks, solid, beside, other) && !is_closed_block(f, cell_index(s.blocks, other));
        present += s.content[index] / sharers, room += s.room[index] / sharers;
    }
    if (room < s.least_room) return 0.0f;
    float excess = present / room - 1.0f;
    float beyond = copysignf(fmaxf(fabsf(excess) - s.small, 0.0f), excess);
    float wanted = is_inner_block(s, f, at, own) ? s.fading * (excess - beyond) + s.at_once * beyond
                                                 : s.at_once * fmaxf(beyond, 0.0f);
    return clamped(wanted, -s.most, s.most);
}

KERNEL(ask_for_growth) {
    const DeviceStep &s = a.liquid;
    const DeviceFields &f = *a.fields;
    OWN_CELL_OR_RETURN(s.blocks, at, own);
    f.divergence[own] = growth_of(s, f, at, own);
}

// s = −∇ψ, in cells. A wall holds its side of a block; only what lies deeper in solids is extrapolated.
KERNEL(displace_blocks) {
    const DeviceStep &s = a.liquid;
    const DeviceFields &f = *a.fields;
    OWN_NODE_OR_RETURN(s.blocks, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.blocks, axis, at)) continue;
        int face = face_index(s.blocks, axis, at), cell[DIM];
        for (int other = 0; other < DIM; other++) cell[other] = at[other] - (other == axis);
        FaceSide below, above;
        below.is_there = at[axis] > 0, above.is_there = at[axis] < s.blocks[axis];
        int lower = below.is_there ? cell_index(s.blocks, cell) : 0, upper = above.is_there ? cell_index(s.blocks, at) : 0;
        below.distance = f.liquid[lower], below.q = f.answer[lower];
        above.distance = f.liquid[upper], above.q = f.answer[upper];
        double gradient = 0.0;
        bool is_known = false;
        if (f.open[axis][face] > 0.0)
            is_known = gradient_across(below, above, 2.0, f.min_theta, gradient);
        else
            is_known = (below.is_there && !is_closed_block(f, lower)) || (above.is_there && !is_closed_block(f, upper));
        s.displacement.value[axis][face] = is_known ? (float)-gradient : 0.0f;
        s.displacement.known[axis][face] = is_known;
    }
}

// The velocity that moves the particles: that of the liquid and, where that is known, the displacement.
KERNEL(add_displacement) {
    const DeviceStep &s = a.liquid;
    OWN_NODE_OR_RETURN(s.cells, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        int face = face_index(s.cells, axis, at);
        float value = s.velocity.value[axis][face];
        if (s.gathered.known[axis][face]) {
            Place place;
            for (int other = 0; other < DIM; other++) {
                float where = 0.5f * ((float)at[other] + (other == axis ? 0.0f : 0.5f)), whole = floorf(where);
                place.cell[other] = (int)whole, place.part[other] = where - whole;
            }
            value += within(s.displacement.value[axis], faces_around(s.blocks, axis, place)) / s.stride;
        }
        s.carrying.value[axis][face] = value;
    }
}
