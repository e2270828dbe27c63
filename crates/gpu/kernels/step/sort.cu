// Particles in the order of their cells, and within a cell in the order that they had. Atomic operations count and place
// them in any order; afterwards each cell sorts its few particles. So the order is always the same.

// Counts the particles of each cell, but those that are gone.
KERNEL(count_particles) {
    const DeviceStep &s = a.liquid;
    int particle = OWN_THREAD();
    if (particle >= s.particles) return;
    unsigned cell = s.particles_now.cell[particle];
    if (cell != NOWHERE) atomicAdd(s.scanned + cell, 1u);
}

// The items of a piece, read side by side. Each thread has some that follow one another, one place apart from those of
// the next, so that threads do not wait for the same bank of memory.
struct Piece {
    unsigned item[THREADS * (SCAN_ITEMS + 1)];
};

__device__ inline unsigned &item_of(Piece &piece, int item) { return piece.item[item + item / SCAN_ITEMS]; }

// Reads the piece of this block; returns the sum of this thread's items.
__device__ inline unsigned load_piece(const DeviceStep &s, Piece &piece) {
    int from = blockIdx.x * THREADS * SCAN_ITEMS;
    for (int item = threadIdx.x; item < THREADS * SCAN_ITEMS; item += THREADS)
        item_of(piece, item) = from + item < s.items ? s.scanned[from + item] : 0;
    __syncthreads();
    unsigned sum = 0;
    for (int n = 0; n < SCAN_ITEMS; n++) sum += item_of(piece, threadIdx.x * SCAN_ITEMS + n);
    return sum;
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

// The sum of a piece of the list.
BARRIER_KERNEL(sum_pieces) {
    const DeviceStep &s = a.liquid;
    __shared__ Piece piece;
    __shared__ unsigned shared[THREADS];
    unsigned sum = load_piece(s, piece), all = scan_block(shared, sum);
    if (threadIdx.x == 0) s.pieces[blockIdx.x] = all;
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
    __shared__ Piece piece;
    __shared__ unsigned shared[THREADS];
    unsigned sum = load_piece(s, piece);
    scan_block(shared, sum);
    sum += s.pieces[blockIdx.x];
    for (int n = 0; n < SCAN_ITEMS; n++) {
        unsigned &item = item_of(piece, threadIdx.x * SCAN_ITEMS + n), start = sum;
        sum += item;
        item = start;
    }
    __syncthreads();
    int from = blockIdx.x * THREADS * SCAN_ITEMS;
    for (int item = threadIdx.x; item < THREADS * SCAN_ITEMS; item += THREADS) {
        if (from + item >= s.items) continue;
        s.starts[from + item] = item_of(piece, item);
        s.scanned[from + item] = 0;
    }
}

// Gives each particle a place among those of its cell.
KERNEL(place_particles) {
    const DeviceStep &s = a.liquid;
    int particle = OWN_THREAD();
    if (particle >= s.particles) return;
    unsigned cell = s.particles_now.cell[particle];
    if (cell == NOWHERE) return;
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
