// Conjugate gradients by blocks that stay on the device, for problems of which they can keep all vectors but one.
//
// An iteration of gradients.cu moves every vector through memory, and launches take as long as the work. Here
// each thread keeps x, r, p and S p of its groups to itself. The one vector that others read is z, so that
// S p = S z + beta S p takes the place of a product with p; and blocks wait for each other twice an iteration,
// where they agree on a sum. Between launches r and S p are made afresh from x and p, so that errors do not pile up.

#define PASSES 2 // groups of a thread
#define OWN_RESIDUAL 0
#define OWN_DIRECTION 1
#define OWN_IMAGE 2 // S p
#define OWN_VECTORS 3
#define IMAGE NEXT // S p in memory

// r and S p afresh, from x and p.
BARRIER_KERNEL(renew_rows) {
    const Level &level = a.level;
    System<double> s = fine_system(a);
    const double *p = a.vectors[DIRECTION];
    double v[2] = {0.0, 0.0};
    {
        FOR_TILES(level, place, false) {
            int kind = level.groups[place.at >> 2];
            if (kind == EMPTY) continue;
#pragma unroll 1
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                bool is_second = second(place, colour);
                Rows<double> residual = residual_of(a, s, kind, colour, place.at, is_second);
                store_residual(a, own, residual.sum, residual.diagonal, v);
                Rows<double> of_p = rows_of(level, s, p, kind, colour, place.at, is_second);
                Four<double> direction = load4(p + own), image;
                unsigned flags = flags_of(level, kind, own);
                for (int k = 0; k < 4; k++) {
                    double product = of_p.diagonal.v[k] * direction.v[k] - of_p.sum.v[k];
                    image.v[k] = is_free(kind, flags, k) ? product : 0.0;
                }
                store4(a.vectors[IMAGE] + own, image);
            }
        }
    }
    if (!reduce_both<1, 1>(a, v)) return;
    a.scalars->rho = v[0], a.scalars->norm = v[1];
}

template <int SUMS, int N> __device__ inline void combine_warp(double *v) {
    for (int mask = 16; mask; mask /= 2)
        for (int n = 0; n < N; n++) v[n] = combine<SUMS>(n, v[n], __shfl_xor_sync(~0u, v[n], mask));
}

// Every thread has the result. The memory must not be that of the last call.
template <int SUMS, int N> __device__ inline void combine_block(double (*of_warps)[32], double *v) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    combine_warp<SUMS, N>(v);
    for (int n = 0; n < N; n++)
        if (lane == 0) of_warps[n][warp] = v[n];
    __syncthreads();
    for (int n = 0; n < N; n++) v[n] = lane < CREW_THREADS / 32 ? of_warps[n][lane] : 0.0;
    combine_warp<SUMS, N>(v);
}

// Combines v over all threads of all blocks, in a fixed order. All of them wait here, and have the result; what
// they wrote before can be read afterwards. Blocks wait for the numbers themselves, in slots that are vacant until
// then: of three sets one is being read, one may be written already, and the last is made vacant again.
template <int SUMS, int MAXIMA> __device__ inline void agree(const Args &a, unsigned &waits, double *v) {
    const int N = SUMS + MAXIMA;
    __shared__ double of_warps[2][N][32];
    volatile u64 *slots = (volatile u64 *)a.slots + waits % SETS * SET_SIZE;
    volatile u64 *last = (volatile u64 *)a.slots + (waits + SETS - 1) % SETS * SET_SIZE;
    waits++;
    combine_block<SUMS, N>(of_warps[0], v);
    if (threadIdx.x == 0) {
        crew_fence();
        for (int n = 0; n < N; n++) slots[n * gridDim.x + blockIdx.x] = __double_as_longlong(v[n]);
    }
    for (int n = 0; n < N; n++) v[n] = 0.0;
    if (threadIdx.x < gridDim.x) {
        for (int n = 0; n < N; n++) {
            u64 found;
            while ((found = slots[n * gridDim.x + threadIdx.x]) == VACANT) crew_relax();
            v[n] = __longlong_as_double(found);
        }
        crew_fence();
    }
    combine_block<SUMS, N>(of_warps[1], v);
    if (threadIdx.x < 2) last[threadIdx.x * gridDim.x + blockIdx.x] = VACANT;
}

// Where a thread keeps four numbers of a vector: neighbours in a warp side by side.
__device__ inline double2 *own_place(char *room, int pass, int colour, int vector) {
    return (double2 *)room + 2 * ((pass * 2 + colour) * OWN_VECTORS + vector) * CREW_THREADS + threadIdx.x;
}

__device__ inline Four<double> load_own(char *room, int pass, int colour, int vector) {
    double2 *p = own_place(room, pass, colour, vector), v = p[0], w = p[CREW_THREADS];
    return {v.x, v.y, w.x, w.y};
}

__device__ inline void store_own(char *room, int pass, int colour, int vector, const Four<double> &x) {
    double2 *p = own_place(room, pass, colour, vector), v = {x.v[0], x.v[1]}, w = {x.v[2], x.v[3]};
    p[0] = v, p[CREW_THREADS] = w;
}

// A group of a thread.
struct Post {
    int at, kind;
    bool is_odd;
};

// Tiles are dealt out to blocks one by one, so that all have about the same number.
__device__ inline Post post_of(const Args &a, int pass) {
    const int together = CREW_THREADS / THREADS;
    int index = (pass * together + (int)threadIdx.x / THREADS) * gridDim.x + blockIdx.x;
    Place place;
    Post post = {0, EMPTY, false};
    if (index >= a.busy[0] || !locate_in(a.level, a.busy[1 + index], threadIdx.x % THREADS, place)) return post;
    post.at = place.at, post.kind = a.level.groups[place.at >> 2], post.is_odd = place.is_odd;
    return post;
}

// z of four rows, whose diagonal may have to be found first.
__device__ inline Four<double> precondition_own(const Args &a, const System<double> &s, const Post &post, int colour,
                                                const Four<double> &r) {
    if (a.mode != BY_DIAGONAL) return r;
    Around<double> nothing = {};
    return precondition(a, r, rows_amid(a.level, s, nothing, post.kind, colour, post.at, colour != post.is_odd).diagonal);
}

// p <- z + beta p and S p <- S z + beta S p; returns its part of p^T S p.
__device__ inline double turn_group(const Args &a, const System<double> &s, char *room, const Post &post, int pass,
                                    double beta) {
    double curvature = 0.0;
    const double *z = a.vectors[PRECONDITIONED];
    Around<double> around_z[2]; // all at once: it is the way to memory that takes time
    for (int colour = 0; colour < 2; colour++)
        around_z[colour] = around(a.level, z + (1 - colour) * a.level.size, post.at, colour != post.is_odd);
#pragma unroll
    for (int colour = 0; colour < 2; colour++) {
        Rows<double> of_z =
            rows_amid(a.level, s, around_z[colour], post.kind, colour, post.at, colour != post.is_odd);
        Four<double> direction = load_own(room, pass, colour, OWN_DIRECTION);
        Four<double> image = load_own(room, pass, colour, OWN_IMAGE);
        Four<double> own_z = precondition(a, load_own(room, pass, colour, OWN_RESIDUAL), of_z.diagonal);
        unsigned flags = flags_of(a.level, post.kind, colour * a.level.size + post.at);
        for (int k = 0; k < 4; k++) {
            double product = of_z.diagonal.v[k] * own_z.v[k] - of_z.sum.v[k];
            direction.v[k] = own_z.v[k] + beta * direction.v[k];
            image.v[k] = is_free(post.kind, flags, k) ? product + beta * image.v[k] : 0.0;
            curvature += direction.v[k] * image.v[k];
        }
        store_own(room, pass, colour, OWN_DIRECTION, direction);
        store_own(room, pass, colour, OWN_IMAGE, image);
    }
    return curvature;
}

// x <- x + alpha p and r <- r - alpha S p.
__device__ inline void step_group(const Args &a, const System<double> &s, char *room, const Post &post, int pass,
                                  double alpha, Four<double> *x, double *v) {
#pragma unroll
    for (int colour = 0; colour < 2; colour++) {
        Four<double> direction = load_own(room, pass, colour, OWN_DIRECTION);
        Four<double> image = load_own(room, pass, colour, OWN_IMAGE);
        Four<double> r = load_own(room, pass, colour, OWN_RESIDUAL);
        for (int k = 0; k < 4; k++) {
            x[colour].v[k] += alpha * direction.v[k];
            r.v[k] -= alpha * image.v[k];
        }
        Four<double> z = precondition_own(a, s, post, colour, r);
        measure(r, z, v);
        store_own(room, pass, colour, OWN_RESIDUAL, r);
        store4(a.vectors[PRECONDITIONED] + colour * a.level.size + post.at, z);
    }
}

// The groups of a thread; unrolled, since no one can index registers.
#define FOR_POSTS(pass, post)                                                                                  \
    _Pragma("unroll") for (int pass = 0; pass < PASSES; pass++)                                                                  \
        if (const Post post = posts[pass]; post.kind != EMPTY)

// Up to a.rows iterations; all of the aim is in a.scalars.
CREW_KERNEL(iterate_rows) {
    SHARED_MEMORY(room);
    System<double> s = fine_system(a);
    Scalars &scalars = *a.scalars;
    double rho = scalars.rho, beta = scalars.beta, norm = scalars.norm, target = scalars.target;
    int iterations = scalars.iterations, limit = scalars.limit, progress = RUNNING;
    unsigned waits = scalars.tickets[WAITS];
    Post posts[PASSES];
    for (int pass = 0; pass < PASSES; pass++) posts[pass] = post_of(a, pass);
    Four<double> x[PASSES][2]; // in registers, so that there is room for the others
    FOR_POSTS(pass, post) {
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * a.level.size + post.at;
            x[pass][colour] = load4(a.vectors[ANSWER] + own);
            store_own(room, pass, colour, OWN_RESIDUAL, load4(a.vectors[RESIDUAL] + own));
            store_own(room, pass, colour, OWN_DIRECTION, load4(a.vectors[DIRECTION] + own));
            store_own(room, pass, colour, OWN_IMAGE, load4(a.vectors[IMAGE] + own));
        }
    }

    for (int turn = 0; turn < a.rows && progress == RUNNING; turn++) {
        double curvature = 0.0;
        FOR_POSTS(pass, post) curvature += turn_group(a, s, room, post, pass, beta);
        agree<1, 0>(a, waits, &curvature);
        if (!(rho > 0.0 && curvature > 0.0)) {
            progress = BROKEN;
            break;
        }
        double v[2] = {0.0, 0.0};
        FOR_POSTS(pass, post) step_group(a, s, room, post, pass, rho / curvature, x[pass], v);
        agree<1, 1>(a, waits, v);
        beta = v[0] / rho, rho = v[0], norm = v[1];
        if (threadIdx.x == 0 && blockIdx.x == 0) a.vectors[NORMS][iterations % LOG] = norm;
        iterations++;
        if (!(norm > target) || iterations >= limit) progress = DONE;
    }

    FOR_POSTS(pass, post) {
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * a.level.size + post.at;
            store4(a.vectors[ANSWER] + own, x[pass][colour]);
            store4(a.vectors[DIRECTION] + own, load_own(room, pass, colour, OWN_DIRECTION));
        }
    }
    if (threadIdx.x || blockIdx.x) return;
    scalars.beta = beta, scalars.norm = norm;
    scalars.iterations = iterations, scalars.is_stopped = progress;
    scalars.tickets[WAITS] = waits;
}
