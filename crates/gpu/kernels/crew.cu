// Conjugate gradients by blocks that stay on the device, for problems of which they can keep all vectors but one.
//
// An iteration of gradients.cu moves every vector through memory, and launches take as long as the work. Here
// each thread keeps its part of the vectors to itself, and blocks wait for each other once an iteration. That takes
// the pipelined recurrences of [Ghysels2014, alg. 4], with u = M r, s = S p, w = S u, m = M w and z = S M s, where M
// is nothing or the inverse diagonal. The one vector that others read is m. Rounding errors grow faster in them:
// between launches all of them are made afresh from x and p.

#define OWN_DIRECTION 0
#define OWN_IMAGE 1 // s
#define OWN_SECOND 2 // z
#define OWN_VECTORS 3

// What the kernels below leave for each other in memory.
#define IMAGE NEXT
#define EXCHANGED 7 // m, in turn with the next
#define SECOND_IMAGE 9

// S of a vector on four free rows, in place of a sum, and A_ii.
__device__ inline Rows<double> image_of(const Args &a, const System<double> &s, const double *of, int kind, int colour,
                                        int at, bool is_second) {
    int own = colour * a.level.size + at;
    Rows<double> rows = rows_of(a.level, s, of, kind, colour, at, is_second);
    Four<double> x = load4(of + own);
    unsigned flags = flags_of(a.level, kind, own);
    for (int k = 0; k < 4; k++)
        rows.sum.v[k] = is_free(kind, flags, k) ? rows.diagonal.v[k] * x.v[k] - rows.sum.v[k] : 0.0;
    return rows;
}

// r, u and s from x and p.
KERNEL(renew_rows) {
    const Level &level = a.level;
    System<double> s = fine_system(a);
    FOR_KINDS(level, place, kind) {
#pragma unroll 1
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * level.size + place.at;
            bool is_second = second(place, colour);
            double unused[2] = {0.0, 0.0};
            Rows<double> residual = residual_of(a, s, kind, colour, place.at, is_second);
            store_residual(a, own, residual.sum, residual.diagonal, unused);
            Rows<double> image = image_of(a, s, a.vectors[DIRECTION], kind, colour, place.at, is_second);
            store4(a.vectors[IMAGE] + own, image.sum);
            store4(a.vectors[EXCHANGED + 1] + own, precondition(a, image.sum, image.diagonal));
        }
    }
}

// m and z from those, with the first sums.
BARRIER_KERNEL(renew_images) {
    const Level &level = a.level;
    System<double> s = fine_system(a);
    double v[3] = {0.0, 0.0, 0.0};
    {
        FOR_KINDS(level, place, kind) {
#pragma unroll 1
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                bool is_second = second(place, colour);
                Rows<double> w = image_of(a, s, a.vectors[PRECONDITIONED], kind, colour, place.at, is_second);
                Rows<double> z = image_of(a, s, a.vectors[EXCHANGED + 1], kind, colour, place.at, is_second);
                Four<double> r = load4(a.vectors[RESIDUAL] + own), u = load4(a.vectors[PRECONDITIONED] + own);
                for (int k = 0; k < 4; k++) {
                    v[0] += r.v[k] * u.v[k];
                    v[1] += w.sum.v[k] * u.v[k];
                    v[2] = larger(v[2], fabs(r.v[k]));
                }
                store4(a.vectors[EXCHANGED] + own, precondition(a, w.sum, w.diagonal));
                store4(a.vectors[SECOND_IMAGE] + own, z.sum);
            }
        }
    }
    if (!reduce_both<2, 1>(a, v)) return;
    a.scalars->rho = v[0], a.scalars->stretch = v[1], a.scalars->norm = v[2];
}

// Of the numbers that blocks agree on the last is a maximum.
__device__ inline double combine_agreed(int number, double x, double y) { return combine<AGREED - 1>(number, x, y); }

__device__ inline double combine_warp(int number, double x) {
    for (int mask = 16; mask; mask /= 2) x = combine_agreed(number, x, __shfl_xor_sync(~0u, x, mask));
    return x;
}

// The numbers of all blocks, once they are there.
__device__ inline double collect(const u64 *slots, int number) {
    const int EACH = 5; // at a time: it is the way to memory that takes time
    double x = 0.0;
    for (unsigned first = threadIdx.x & 31; first < gridDim.x; first += 32 * EACH) {
        u64 found[EACH];
        bool is_vacant;
        do {
            is_vacant = false;
#pragma unroll
            for (int i = 0; i < EACH; i++) found[i] = first + 32 * i < gridDim.x ? crew_load(slots + first + 32 * i) : 0;
#pragma unroll
            for (int i = 0; i < EACH; i++) is_vacant |= found[i] == VACANT;
        } while (is_vacant);
#pragma unroll
        for (int i = 0; i < EACH; i++) x = combine_agreed(number, x, __longlong_as_double(found[i]));
    }
    return x;
}

// Combines two sums and a maximum over all threads of all blocks, in a fixed order; a warp of each block sees to each
// of them. All threads wait here, and have the result; what they wrote before can be read afterwards. Blocks wait for
// the numbers themselves, in slots that are vacant until then: of three sets one is being read, one may be written
// already, and the last is made vacant.
__device__ inline void agree(const Args &a, unsigned &waits, double *v) {
    __shared__ double of_warps[AGREED][32], result[AGREED];
    u64 *slots = a.slots + waits % SETS * SET_SIZE, *last = a.slots + (waits + SETS - 1) % SETS * SET_SIZE;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    waits++;
    for (int n = 0; n < AGREED; n++) {
        double x = combine_warp(n, v[n]);
        if (lane == 0) of_warps[n][warp] = x;
    }
    __syncthreads();
    if (warp < AGREED || EVERY_WARP) {
        int number = warp < AGREED ? warp : 0;
        double x = combine_warp(number, lane < CREW_THREADS / 32 ? of_warps[number][lane] : 0.0);
        if (lane == 0 && warp < AGREED) {
            crew_fence();
            crew_store(slots + number * gridDim.x + blockIdx.x, __double_as_longlong(x));
        }
        x = collect(slots + number * gridDim.x, number);
        crew_fence();
        x = combine_warp(number, x);
        if (lane == 0 && warp < AGREED) {
            result[number] = x;
            crew_store(last + number * gridDim.x + blockIdx.x, VACANT);
        }
    }
    __syncthreads();
    for (int n = 0; n < AGREED; n++) v[n] = result[n];
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
    if (post.kind > PLAIN) post.kind = MIXED; // threads side by side that take different ways wait for each other
    return post;
}

// The groups of a thread; unrolled, since no one can index registers.
#define FOR_POSTS(pass, post)                                                                                  \
    _Pragma("unroll") for (int pass = 0; pass < PASSES; pass++)                                                \
        if (const Post post = posts[pass]; post.kind != EMPTY)

// One iteration on a group, with its part of r^T u, w^T u and the largest |r|.
__device__ inline void advance_group(const Args &a, const System<double> &s, char *room, const Post &post, int pass,
                                     double alpha, double beta, const double *from, double *to, Four<double> *x,
                                     Four<double> *r, double *v) {
#pragma unroll
    for (int colour = 0; colour < 2; colour++) {
        int own = colour * a.level.size + post.at;
        Rows<double> of_m = image_of(a, s, from, post.kind, colour, post.at, colour != post.is_odd);
        Four<double> w = load4(from + own), u = precondition(a, r[colour], of_m.diagonal);
        if (a.mode == BY_DIAGONAL)
            for (int k = 0; k < 4; k++) w.v[k] *= of_m.diagonal.v[k];
        Four<double> z = load_own(room, pass, colour, OWN_SECOND);
        Four<double> image = load_own(room, pass, colour, OWN_IMAGE);
        Four<double> direction = load_own(room, pass, colour, OWN_DIRECTION);
        for (int k = 0; k < 4; k++) {
            z.v[k] = of_m.sum.v[k] + beta * z.v[k];
            image.v[k] = w.v[k] + beta * image.v[k];
            direction.v[k] = u.v[k] + beta * direction.v[k];
            x[colour].v[k] += alpha * direction.v[k];
            r[colour].v[k] -= alpha * image.v[k];
            w.v[k] -= alpha * z.v[k];
        }
        store_own(room, pass, colour, OWN_SECOND, z);
        store_own(room, pass, colour, OWN_IMAGE, image);
        store_own(room, pass, colour, OWN_DIRECTION, direction);
        store4(to + own, precondition(a, w, of_m.diagonal));
        u = precondition(a, r[colour], of_m.diagonal);
        for (int k = 0; k < 4; k++) {
            v[0] += r[colour].v[k] * u.v[k];
            v[1] += w.v[k] * u.v[k];
            v[2] = larger(v[2], fabs(r[colour].v[k]));
        }
    }
}

// Up to a.rows iterations, by threads with so many groups; where they are to lead is in a.scalars.
template <int PASSES> __device__ inline void iterate(const Args &a, char *room) {
    System<double> s = fine_system(a);
    Scalars &scalars = *a.scalars;
    double rho = scalars.rho, before = scalars.before, stretch = scalars.stretch, alpha = scalars.alpha;
    double norm = scalars.norm, target = scalars.target;
    int iterations = scalars.iterations, limit = scalars.limit, progress = RUNNING;
    bool is_begun = scalars.is_begun;
    unsigned waits = scalars.tickets[WAITS];
    Post posts[PASSES];
    for (int pass = 0; pass < PASSES; pass++) posts[pass] = post_of(a, pass);
    Four<double> x[PASSES][2], r[PASSES][2]; // in registers, so that there is room for the others
    FOR_POSTS(pass, post) {
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * a.level.size + post.at;
            x[pass][colour] = load4(a.vectors[ANSWER] + own);
            r[pass][colour] = load4(a.vectors[RESIDUAL] + own);
            store_own(room, pass, colour, OWN_DIRECTION, load4(a.vectors[DIRECTION] + own));
            store_own(room, pass, colour, OWN_IMAGE, load4(a.vectors[IMAGE] + own));
            store_own(room, pass, colour, OWN_SECOND, load4(a.vectors[SECOND_IMAGE] + own));
        }
    }
    for (int turn = 0; turn < a.rows && progress == RUNNING; turn++) {
        double beta = is_begun ? rho / before : 0.0;
        double curvature = is_begun ? stretch - beta * rho / alpha : stretch;
        if (!(curvature > 0.0)) beta = 0.0, curvature = stretch; // rounding has spoiled the direction: a new one
        if (!(rho > 0.0 && curvature > 0.0)) {
            progress = BROKEN;
            break;
        }
        alpha = rho / curvature, before = rho, is_begun = true;
        const double *from = a.vectors[EXCHANGED + turn % 2];
        double *to = a.vectors[EXCHANGED + (turn + 1) % 2], v[AGREED] = {0.0, 0.0, 0.0};
        FOR_POSTS(pass, post) advance_group(a, s, room, post, pass, alpha, beta, from, to, x[pass], r[pass], v);
        agree(a, waits, v);
        rho = v[0], stretch = v[1], norm = v[2];
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
    scalars.before = before, scalars.alpha = alpha, scalars.norm = norm;
    scalars.iterations = iterations, scalars.is_begun = is_begun, scalars.is_stopped = progress;
    scalars.tickets[WAITS] = waits;
}

CREW_KERNEL(iterate_rows) {
    SHARED_MEMORY(room);
    iterate<1>(a, room);
}

// The same for problems twice as large: registers are scarce then.
CREW_KERNEL(iterate_more_rows) {
    SHARED_MEMORY(room);
    iterate<2>(a, room);
}
