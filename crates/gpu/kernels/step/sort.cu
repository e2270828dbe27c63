// Particles in the order of their cells, and within a cell in the order that they had. Atomic operations count and place
// them in any order; afterwards each cell sorts its few particles. So the order is always the same.

// Items of a scan for each thread.
#define SCAN_ITEMS 16

// Counts the particles of each cell.
KERNEL(count_particles) {
    const DeviceStep &s = a.liquid;
    int particle = OWN_THREAD();
    if (particle < s.particles) atomicAdd(s.scanned + s.particles_now.cell[particle], 1u);
}

// The sum of a piece of the list.
BARRIER_KERNEL(sum_pieces) {
    const DeviceStep &s = a.liquid;
    __shared__ unsigned shared[THREADS];
    int from = (blockIdx.x * THREADS + threadIdx.x) * SCAN_ITEMS;
    unsigned sum = 0;
    for (int item = from; item < from + SCAN_ITEMS && item < s.items; item++) sum += s.scanned[item];
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    for (int other = 1; other < THREADS; other++) sum += shared[other];
    s.pieces[blockIdx.x] = sum;
}

// Replaces the sum of each thread by the sum of those before it; returns the sum of all.
__device__ inline unsigned scan_block(unsigned *shared, unsigned &sum) {
    shared[threadIdx.x] = sum;
    for (int reach = 1; reach < THREADS; reach *= 2) {
        __syncthreads();
        unsigned before = threadIdx.x >= reach ? shared[threadIdx.x - reach] : 0;
        __syncthreads();
        shared[threadIdx.x] += before;
    }
    __syncthreads();
    unsigned all = shared[THREADS - 1];
    sum = shared[threadIdx.x] - sum;
    __syncthreads();
    return all;
}

// One block: the sums before each piece.
BARRIER_KERNEL(scan_pieces) {
    const DeviceStep &s = a.liquid;
    __shared__ unsigned shared[THREADS];
    int pieces = (s.items + THREADS * SCAN_ITEMS - 1) / (THREADS * SCAN_ITEMS);
    unsigned before = 0;
    for (int from = 0; from < pieces; from += THREADS) {
        int piece = from + threadIdx.x;
        unsigned sum = piece < pieces ? s.pieces[piece] : 0;
        unsigned all = scan_block(shared, sum);
        if (piece < pieces) s.pieces[piece] = before + sum;
        before += all;
    }
}

// Where each cell starts. Counts become zero, for the particles that find their places.
BARRIER_KERNEL(start_cells) {
    const DeviceStep &s = a.liquid;
    __shared__ unsigned shared[THREADS];
    int from = (blockIdx.x * THREADS + threadIdx.x) * SCAN_ITEMS;
    unsigned sum = 0;
    for (int item = from; item < from + SCAN_ITEMS && item < s.items; item++) sum += s.scanned[item];
    scan_block(shared, sum);
    sum += s.pieces[blockIdx.x];
    for (int item = from; item < from + SCAN_ITEMS && item < s.items; item++) {
        s.starts[item] = sum;
        sum += s.scanned[item];
        s.scanned[item] = 0;
    }
}

// Gives each particle a place among those of its cell.
KERNEL(place_particles) {
    const DeviceStep &s = a.liquid;
    int particle = OWN_THREAD();
    if (particle >= s.particles) return;
    unsigned cell = s.particles_now.cell[particle];
    s.order[s.starts[cell] + atomicAdd(s.scanned + cell, 1u)] = particle;
}

// Sorts the particles of a cell by their places before. They are few, and nearly sorted.
KERNEL(sort_cells) {
    const DeviceStep &s = a.liquid;
    int cell = OWN_THREAD();
    if (cell >= cell_count_of(s.cells)) return;
    int first = s.starts[cell], end = s.starts[cell + 1];
    s.scanned[cell] = 0; // for the next count
    for (int item = first + 1; item < end; item++) {
        unsigned particle = s.order[item];
        int to = item;
        for (; to > first && s.order[to - 1] > particle; to--) s.order[to] = s.order[to - 1];
        s.order[to] = particle;
    }
}

// Moves particles to their places.
KERNEL(reorder_particles) {
    const DeviceStep &s = a.liquid;
    int to = OWN_THREAD();
    if (to >= s.particles) return;
    const DeviceParticles &now = s.particles_now, &next = s.particles_next;
    int from = s.order[to];
    next.cell[to] = now.cell[from];
    next.id[to] = now.id[from];
    for (int axis = 0; axis < DIM; axis++) {
        next.offset[axis][to] = now.offset[axis][from];
        next.velocity[axis][to] = now.velocity[axis][from];
    }
    if (s.is_affine)
        for (int n = 0; n < DIM * DIM; n++) next.affine[n][to] = now.affine[n][from];
}
