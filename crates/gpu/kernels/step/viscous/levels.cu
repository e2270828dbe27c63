// Levels of a viscous system: products, coarser systems, and the multigrid cycle in single precision.

// Whether all places around one are places of the array. The others lie in the rim.
__device__ inline bool is_inner(const ViscousLevel &l, int own) {
    int reach = 0;
    for (int axis = 0; axis < DIM; axis++) reach += l.stride[axis];
    return own >= reach && own < l.places - reach;
}

// The force of strain on a face, for the velocity x(axis, place).
template <class T, class X> __device__ inline T strain_force(const ViscousLevel &l, int axis, int own, X x) {
    int along = l.stride[axis];
    T here = x(axis, own), lower = l.cell[axis * l.places + own - along], upper = l.cell[axis * l.places + own];
    T force = lower * (here - x(axis, own - along)) - upper * (x(axis, own + along) - here);
    for (int other = 0; other < DIM; other++) {
        if (other == axis) continue;
        int across = l.stride[other];
        const float *edge = l.edge + pair_of(axis, other) * l.places + own;
        T strain = here - x(axis, own - across) + (x(other, own) - x(other, own - along));
        T beyond = x(axis, own + across) - here + (x(other, own + across) - x(other, own + across - along));
        force += (T)edge[0] * strain - (T)edge[across] * beyond;
    }
    return force;
}

// The diagonal of strain.
__device__ inline double strain_diagonal(const ViscousLevel &l, int axis, int own) {
    double sum = (double)l.cell[axis * l.places + own - l.stride[axis]] + l.cell[axis * l.places + own];
    for (int other = 0; other < DIM; other++) {
        if (other == axis) continue;
        const float *edge = l.edge + pair_of(axis, other) * l.places + own;
        sum += (double)edge[0] + edge[l.stride[other]];
    }
    return sum;
}

// A x of a level for a face; zero in the rim.
__device__ inline float product_at(const ViscousLevel &l, int axis, int own, const float *x) {
    if (!is_inner(l, own)) return 0.0f;
    auto velocity = [&](int along, int at) { return x[along * l.places + at]; };
    return l.face[axis * l.places + own] * x[axis * l.places + own] + strain_force<float>(l, axis, own, velocity);
}

// How fine values hang on coarse ones along an axis: on planes between cells, linearly in cells, and in cells where they are
// the same all over a coarse one. The weights with which a coarse value is part of four fine ones, the second of which is
// the first in its cell.
#define PLANES 0
#define CELLS 1
#define INSIDE 2
__device__ inline float weight_of_tap(int kind, int tap) {
    if (kind == PLANES) return tap == 1 ? 1.0f : tap == 3 ? 0.0f : 0.5f;
    if (kind == CELLS) return tap == 0 || tap == 3 ? 0.25f : 0.75f;
    return tap == 1 || tap == 2 ? 1.0f : 0.0f;
}

// Pᵀ of fine values at a coarse place.
__device__ inline float gathered_at(const ViscousLevel &fine, const float *values, const int *kind, const int *place) {
    float sum = 0.0f;
    for (int choice = 0; choice < 1 << 2 * DIM; choice++) {
        float weight = 1.0f;
        int index = 0;
        for (int axis = 0; axis < DIM; axis++) {
            int tap = choice >> 2 * axis & 3, at = 2 * place[axis] + tap - (VISCOUS_RIM + 3);
            weight *= at >= 0 && at < fine.shape[axis] ? weight_of_tap(kind[axis], tap) : 0.0f;
            index += at * fine.stride[axis];
        }
        if (weight != 0.0f) sum += weight * values[index];
    }
    return sum;
}

// P of coarse values at a fine place.
__device__ inline float interpolated_at(const ViscousLevel &coarse, const float *values, int straddled, const int *place) {
    float sum = 0.0f;
    for (int choice = 0; choice < 1 << DIM; choice++) {
        float weight = 1.0f;
        int index = 0;
        for (int axis = 0; axis < DIM; axis++) {
            int second = choice >> axis & 1, at = (place[axis] + VISCOUS_RIM) / 2 + VISCOUS_RIM;
            bool is_odd = (place[axis] + VISCOUS_RIM) % 2;
            if (axis == straddled) {
                weight *= is_odd ? 0.5f : second ? 0.0f : 1.0f;
                at += is_odd && second;
            } else {
                weight *= second ? 0.25f : 0.75f;
                at += second ? (is_odd ? 1 : -1) : 0;
            }
            index += at * coarse.stride[axis];
        }
        if (weight != 0.0f) sum += weight * values[index];
    }
    return sum;
}

// The system on cells of twice the size.
KERNEL(coarsen_viscous) {
    const ViscousLevel &fine = a.liquid.viscous.fine, &coarse = a.liquid.viscous.coarse;
    OWN_BOX_PLACE_OR_RETURN(coarse, place, own);
    const float of_strain = 0.25f; // strain per cell of the same velocity is half as much
    for (int axis = 0; axis < DIM; axis++) {
        int kind[DIM];
        for (int along = 0; along < DIM; along++) kind[along] = along == axis ? PLANES : CELLS;
        coarse.face[axis * coarse.places + own] = gathered_at(fine, fine.face + axis * fine.places, kind, place);
        // Between two planes velocity is linear, so all cells there have the same strain across.
        for (int along = 0; along < DIM; along++) kind[along] = along == axis ? INSIDE : CELLS;
        coarse.cell[axis * coarse.places + own] =
            of_strain * gathered_at(fine, fine.cell + axis * fine.places, kind, place);
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        int kind[DIM];
        for (int along = 0; along < DIM; along++)
            kind[along] = along == first_of_pair(pair) || along == second_of_pair(pair) ? PLANES : CELLS;
        coarse.edge[pair * coarse.places + own] =
            of_strain * gathered_at(fine, fine.edge + pair * fine.places, kind, place);
    }
}

KERNEL(invert_viscous) {
    const ViscousLevel &l = a.liquid.viscous.fine;
    OWN_BOX_PLACE_OR_RETURN(l, place, own);
    for (int axis = 0; axis < DIM; axis++) {
        int face = axis * l.places + own;
        float diagonal = l.face[face] + (is_inner(l, own) ? (float)strain_diagonal(l, axis, own) : 0.0f);
        l.inverse[face] = diagonal > 0.0f ? 1.0f / diagonal : 0.0f;
    }
}

// A step of Chebyshev's iteration at a face. The next iterate goes to r.
__device__ inline void smooth_face(const DeviceViscous &v, const ViscousLevel &l, int axis, int own, int turn, bool starts) {
    int face = axis * l.places + own;
    float keep = v.keep[turn], add = v.add[turn];
    if (starts) {
        l.d[face] = l.r[face] = add * l.inverse[face] * l.b[face];
        return;
    }
    float change = add * l.inverse[face] * (l.b[face] - product_at(l, axis, own, l.x));
    l.d[face] = keep == 0.0f ? change : keep * l.d[face] + change;
    l.r[face] = l.x[face] + l.d[face];
}

// b of the coarse level at a face ← Pᵀ r.
__device__ inline void restrict_face(const ViscousLevel &fine, const ViscousLevel &coarse, int axis, int own) {
    int place[DIM], kind[DIM];
    cell_at(coarse.shape, own, place);
    for (int along = 0; along < DIM; along++) kind[along] = along == axis ? PLANES : CELLS;
    coarse.b[axis * coarse.places + own] = gathered_at(fine, fine.r + axis * fine.places, kind, place);
}

// x ← x + P x of the coarse level at a face.
__device__ inline void correct_face(const ViscousLevel &fine, const ViscousLevel &coarse, int axis, int own) {
    int place[DIM], face = axis * fine.places + own;
    if (fine.inverse[face] == 0.0f) return;
    cell_at(fine.shape, own, place);
    fine.x[face] += interpolated_at(coarse, coarse.x + axis * coarse.places, axis, place);
}

// The face of this thread.
#define OWN_BOX_FACE_OR_RETURN(level, axis, own)                                                               \
    int face_ = OWN_THREAD();                                                                                  \
    if (face_ >= DIM * (level).places) return;                                                                 \
    int axis = face_ / (level).places, own = face_ % (level).places

KERNEL(smooth_viscous) {
    const DeviceViscous &v = a.liquid.viscous;
    OWN_BOX_FACE_OR_RETURN(v.fine, axis, own);
    smooth_face(v, v.fine, axis, own, v.turn, v.starts);
}

// r ← b − A x at a face.
__device__ inline void leave_residual(const ViscousLevel &l, int axis, int own) {
    int face = axis * l.places + own;
    l.r[face] = l.b[face] - product_at(l, axis, own, l.x);
}

KERNEL(leave_viscous_residual) {
    const ViscousLevel &l = a.liquid.viscous.fine;
    OWN_BOX_FACE_OR_RETURN(l, axis, own);
    leave_residual(l, axis, own);
}

KERNEL(restrict_viscous) {
    const DeviceViscous &v = a.liquid.viscous;
    OWN_BOX_FACE_OR_RETURN(v.coarse, axis, own);
    restrict_face(v.fine, v.coarse, axis, own);
}

KERNEL(correct_viscous) {
    const DeviceViscous &v = a.liquid.viscous;
    OWN_BOX_FACE_OR_RETURN(v.fine, axis, own);
    correct_face(v.fine, v.coarse, axis, own);
}

// The faces of a small level, by threads of all blocks that work in step.
#define FOR_BOX_FACES(level, axis, own)                                                                        \
    for (int face_ = all_blocks().rank, axis, own;                                                             \
         face_ < DIM * (level).places && (axis = face_ / (level).places, own = face_ % (level).places, true);  \
         face_ += all_blocks().size)

// A small level after so many steps of smoothing, each of which lets iterate and residual change places.
__device__ inline ViscousLevel small_level(const DeviceViscous &v, int number, int steps) {
    ViscousLevel level = v.levels[number];
    if (steps % 2) {
        float *x = level.x;
        level.x = level.r, level.r = x;
    }
    return level;
}

// Steps of Chebyshev's iteration on a small level after `steps` others, from those at `first` in the list on.
__device__ inline void smooth_small(const DeviceViscous &v, int number, int steps, int first, int count) {
    for (int turn = 0; turn < count; turn++) {
        ViscousLevel level = small_level(v, number, steps + turn);
        FOR_BOX_FACES(level, axis, own) smooth_face(v, level, axis, own, first + turn, steps + turn == 0);
        small_barrier();
    }
}

// The cycle on all small levels in one launch, since separate launches would take longer than the work.
SMALL_KERNEL(small_viscous_cycle) {
    const DeviceViscous &v = a.liquid.viscous;
    int last = v.small_levels - 1;
    for (int number = 0; number < last; number++) {
        smooth_small(v, number, 0, 0, v.degree);
        ViscousLevel fine = small_level(v, number, v.degree), coarse = v.levels[number + 1];
        FOR_BOX_FACES(fine, axis, own) leave_residual(fine, axis, own);
        small_barrier();
        FOR_BOX_FACES(coarse, axis, own) restrict_face(fine, coarse, axis, own);
        small_barrier();
    }
    smooth_small(v, last, 0, v.degree, v.coarsest_degree);
    for (int number = last - 1; number >= 0; number--) {
        ViscousLevel fine = small_level(v, number, v.degree);
        ViscousLevel coarse = small_level(v, number + 1, number + 1 == last ? v.coarsest_degree : 2 * v.degree);
        FOR_BOX_FACES(fine, axis, own) correct_face(fine, coarse, axis, own);
        small_barrier();
        smooth_small(v, number, v.degree, 0, v.degree);
    }
}
