// Particles → faces, and particles → density. No two threads write to the same place, and every sum has the same order
// each time. A sum has a few dozen terms of one size, so that single precision keeps it to some 1e-7.
//
// A thread stands for a column of cells along the first axis: it reads the particles of its own cell and of those beside
// it along the other axes. What they bring to its node, and to the nodes before and behind, goes through the memory of the
// block. So every particle is read nine times in space, not 27 times.

// Rows of columns in a block. The first and the last column of each lend what they know and have no node of their own.
#define BLOCK_ROWS (THREADS / ROW_COLUMNS)

// What arrives at a node: weighted velocities, weights, and the density.
struct Arrived {
    float sum[DIM], weight[DIM], amount;
};

__device__ inline void add_arrived(Arrived &to, const Arrived &from) {
    for (int axis = 0; axis < DIM; axis++) to.sum[axis] += from.sum[axis], to.weight[axis] += from.weight[axis];
    to.amount += from.amount;
}

// Weights along an axis for the faces across it and for the centres of cells, and the ways there. Beyond the first and the
// last centre there is a mirror.
struct Hat {
    float face, centre, to_face, to_centre;
};

__device__ inline Hat hat_of(int cells, int at, int cell, float offset) {
    float way = (float)(cell - at) + offset;
    float among_centres = clamped(way - 0.5f, (float)-at, (float)(cells - 1 - at));
    Hat hat = {fmaxf(0.0f, 1.0f - fabsf(way)), fmaxf(0.0f, 1.0f - fabsf(among_centres)), -way, -among_centres};
    return hat;
}

// Adds a particle to what arrives at a node.
template <bool AFFINE>
__device__ inline void add_particle(const DeviceStep &s, int particle, const float *velocity, const Hat *hat,
                                    Arrived &arrived) {
    float all = 1.0f;
    for (int axis = 0; axis < DIM; axis++) all *= hat[axis].centre;
    arrived.amount += all;
    for (int axis = 0; axis < DIM; axis++) {
        float weight = hat[axis].face, carried = velocity[axis];
        for (int other = 0; other < DIM; other++)
            if (other != axis) weight *= hat[other].centre;
        if (AFFINE)
            for (int along = 0; along < DIM; along++)
                carried += s.spacing * s.particles_now.affine[DIM * axis + along][particle] *
                           (along == axis ? hat[along].to_face : hat[along].to_centre);
        arrived.sum[axis] += weight * carried;
        arrived.weight[axis] += weight;
    }
}

// What the particles of a column bring to the nodes before it, at it and behind it.
template <bool AFFINE> __device__ inline void gather_column(const DeviceStep &s, const int *at, Arrived *arrived) {
    const DeviceParticles &p = s.particles_now;
    for (int line = 0; line < (DIM == 3 ? 9 : 3); line++) {
        int cell[DIM];
        cell[0] = at[0], cell[1] = at[1] + line % 3 - 1;
        if (DIM == 3) cell[DIM - 1] = at[DIM - 1] + line / 3 - 1;
        if (!is_inside(s.cells, cell)) continue;
        int index = cell_index(s.cells, cell);
        int end = s.starts[index + 1];
        for (int particle = s.starts[index]; particle < end; particle++) {
            float velocity[DIM];
            Hat hat[DIM];
            for (int axis = 1; axis < DIM; axis++)
                hat[axis] = hat_of(s.cells[axis], at[axis], cell[axis], p.offset[axis][particle]);
            for (int axis = 0; axis < DIM; axis++) velocity[axis] = p.velocity[axis][particle];
            float offset = p.offset[0][particle];
            for (int node = 0; node < 3; node++) {
                hat[0] = hat_of(s.cells[0], at[0] + node - 1, cell[0], offset);
                add_particle<AFFINE>(s, particle, velocity, hat, arrived[node]);
            }
        }
    }
}

// Writes what has arrived at a node: velocities of faces, and the density of the cell.
__device__ inline void write_arrived(const DeviceStep &s, const int *at, const Arrived &arrived) {
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at)) continue;
        int face = face_index(s.cells, axis, at);
        bool is_known = arrived.weight[axis] > 1e-9f;
        s.gathered.value[axis][face] = is_known ? arrived.sum[axis] / arrived.weight[axis] : 0.0f;
        s.gathered.known[axis][face] = is_known;
        s.carrying.known[axis][face] = is_known; // what particles have reached, for later
    }
    if (is_inside(s.cells, at)) {
        int own = cell_index(s.cells, at);
        s.density[own] = arrived.amount * s.share / fmaxf(s.space[own], s.too_closed);
    }
}

BARRIER_KERNEL(gather_particles) {
    const DeviceStep &s = a.liquid;
    __shared__ Arrived before[THREADS], behind[THREADS];
    int columns = ROW_COLUMNS - 2, pieces = (s.cells[0] + columns) / columns; // of a row of nodes
    int column = threadIdx.x % ROW_COLUMNS, at[DIM];
    int row = blockIdx.x / pieces * BLOCK_ROWS + threadIdx.x / ROW_COLUMNS;
    at[0] = blockIdx.x % pieces * columns + column - 1;
    at[1] = DIM == 3 ? row % (s.cells[1] + 1) : row;
    if (DIM == 3) at[DIM - 1] = row / (s.cells[1] + 1);
    Arrived arrived[3];
    for (int node = 0; node < 3; node++) {
        for (int axis = 0; axis < DIM; axis++) arrived[node].sum[axis] = arrived[node].weight[axis] = 0.0f;
        arrived[node].amount = 0.0f;
    }
    if (at[0] >= 0 && at[0] < s.cells[0]) {
        if (s.is_affine)
            gather_column<true>(s, at, arrived);
        else
            gather_column<false>(s, at, arrived);
    }
    before[threadIdx.x] = arrived[0], behind[threadIdx.x] = arrived[2];
    __syncthreads();
    if (column == 0 || column == ROW_COLUMNS - 1 || at[0] > s.cells[0] || at[DIM - 1] > s.cells[DIM - 1]) return;
    add_arrived(arrived[1], behind[threadIdx.x - 1]);
    add_arrived(arrived[1], before[threadIdx.x + 1]);
    write_arrived(s, at, arrived[1]);
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
