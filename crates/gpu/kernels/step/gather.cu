// Particles → faces, and particles → density. A thread reads the particles of the cells around its node: no two threads
// write to the same place, and every sum has the same order each time. A sum has a few dozen terms of one size, so that
// single precision keeps it to some 1e-7.

// Weights of a particle along each axis: for the faces across that axis, and for centres. Beyond the first and the last
// centre there is a mirror.
struct Hats {
    float face[DIM], centre[DIM], to_face[DIM], to_centre[DIM];
};

__device__ inline Hats hats_of(const int *cells, const int *at, const int *cell, const float *offset) {
    Hats hats;
    for (int axis = 0; axis < DIM; axis++) {
        float way = (float)(cell[axis] - at[axis]) + offset[axis];
        float among_centres = clamped(way - 0.5f, (float)-at[axis], (float)(cells[axis] - 1 - at[axis]));
        hats.to_face[axis] = -way, hats.to_centre[axis] = -among_centres;
        hats.face[axis] = fmaxf(0.0f, 1.0f - fabsf(way));
        hats.centre[axis] = fmaxf(0.0f, 1.0f - fabsf(among_centres));
    }
    return hats;
}

template <bool AFFINE> __device__ inline void gather_at(const DeviceStep &s, const int *at) {
    const DeviceParticles &p = s.particles_now;
    float sum[DIM], weight[DIM], amount = 0.0f;
    for (int axis = 0; axis < DIM; axis++) sum[axis] = weight[axis] = 0.0f;
    int left = max(at[0] - 1, 0), right = min(at[0] + 1, s.cells[0] - 1);
    for (int line = 0; line < (DIM == 3 ? 9 : 3); line++) {
        int cell[DIM];
        cell[0] = left, cell[1] = at[1] + line % 3 - 1;
        if (DIM == 3) cell[DIM - 1] = at[DIM - 1] + line / 3 - 1;
        if (!is_inside(s.cells, cell)) continue;
        int first = cell_index(s.cells, cell);
        unsigned particle = s.starts[first];
        for (; cell[0] <= right; cell[0]++) {
            for (unsigned end = s.starts[++first]; particle < end; particle++) {
                float offset[DIM];
                for (int axis = 0; axis < DIM; axis++) offset[axis] = p.offset[axis][particle];
                Hats hats = hats_of(s.cells, at, cell, offset);
                float all = hats.centre[0] * hats.centre[1];
                if (DIM == 3) all *= hats.centre[DIM - 1];
                amount += all;
                for (int axis = 0; axis < DIM; axis++) {
                    float w = hats.face[axis];
                    for (int other = 0; other < DIM; other++)
                        if (other != axis) w *= hats.centre[other];
                    float carried = p.velocity[axis][particle];
                    if (AFFINE)
                        for (int along = 0; along < DIM; along++)
                            carried += s.spacing * p.affine[DIM * axis + along][particle] *
                                       (along == axis ? hats.to_face[along] : hats.to_centre[along]);
                    sum[axis] += w * carried;
                    weight[axis] += w;
                }
            }
        }
    }
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        int face = face_index(s.cells, axis, at);
        bool is_known = weight[axis] > 1e-9f;
        s.gathered.value[axis][face] = is_known ? sum[axis] / weight[axis] : 0.0f;
        s.gathered.known[axis][face] = is_known;
        s.carrying.known[axis][face] = is_known; // what particles have reached, for later
    }
    if (is_inside(s.cells, at)) {
        int own = cell_index(s.cells, at);
        s.density[own] = amount * s.share / fmaxf(s.space[own], s.too_closed);
    }
}

KERNEL(gather_particles) {
    OWN_NODE_OR_RETURN(a.liquid.cells, at);
    if (a.liquid.is_affine)
        gather_at<true>(a.liquid, at);
    else
        gather_at<false>(a.liquid, at);
}

// Every face gets the velocity of the liquid that arrives there.
KERNEL(advect_faces) {
    const DeviceStep &s = a.liquid;
    OWN_NODE_OR_RETURN(s.cells, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        Place place;
        for (int other = 0; other < DIM; other++)
            place.cell[other] = at[other], place.part[other] = other == axis ? 0.0f : 0.5f;
        Place origin = follow(s.cells, s.velocity.value, place, -s.stride_back);
        int face = face_index(s.cells, axis, at);
        s.gathered.value[axis][face] = within(s.velocity.value[axis], faces_around(s.cells, axis, origin));
        s.carrying.known[axis][face] = 0;
    }
}
