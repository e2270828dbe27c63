// What the kernels are written in terms of, for the host. The threads of a block are fibers that take turns at barriers.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <ucontext.h>
#include <vector>

// The kernels of two and of three dimensions are linked into one program. Neither may see the other's names.
namespace {

struct Index { unsigned x, y, z; };
static thread_local Index blockIdx, threadIdx, blockDim, gridDim;
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) double2 { double x, y; };

#define __device__
#define __shared__ static thread_local
#define SHARED_MEMORY(name) alignas(16) static thread_local char name[192 << 10]
static inline void __threadfence() {}
static inline long long __double_as_longlong(double v) { long long u; memcpy(&u, &v, 8); return u; }
static inline double __longlong_as_double(long long u) { double v; memcpy(&v, &u, 8); return v; }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline unsigned __float_as_uint(float v) { unsigned u; memcpy(&u, &v, 4); return u; }
template <class T> static inline T atomicAdd(T *p, T v) { T old = *p; *p += v; return old; }
template <class T> static inline T atomicMax(T *p, T v) { T old = *p; if (v > old) *p = v; return old; }
static inline unsigned atomicInc(unsigned *p, unsigned most) {
    unsigned old = *p;
    *p = old >= most ? 0 : old + 1;
    return old;
}
template <class T> static inline T atomicCAS(T *p, T expected, T v) {
    T old = *p;
    if (old == expected) *p = v;
    return old;
}
static inline int min(int x, int y) { return x < y ? x : y; }
static inline int max(int x, int y) { return x > y ? x : y; }
static inline double times(double x, double y) { return x * y; }

struct Fibers {
    ucontext_t home;
    std::vector<ucontext_t> threads;
    std::vector<char> stacks;
    std::vector<bool> is_done;
    int current;
    void (*body)(const void *);
    const void *args;
};
static thread_local Fibers fibers;

static void __syncthreads() { swapcontext(&fibers.threads[fibers.current], &fibers.home); }

static void small_barrier() { __syncthreads(); }

// Threads of a warp exchange numbers. All threads of the block must call this.
static double __shfl_xor_sync(unsigned, double v, int mask) {
    static thread_local double exchanged[2][1024];
    static thread_local unsigned turns[1024];
    int t = threadIdx.x;
    double *numbers = exchanged[turns[t]++ & 1];
    numbers[t] = v;
    __syncthreads();
    return numbers[t ^ mask];
}

// The blocks of a cooperative grid run at the same time, each in a thread of its own.
#define GRID_THREADS EMULATED_COOPERATIVE_THREADS
#define EVERY_WARP true // all threads of a block must take the same number of turns
static void grid_fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
template <class T> static T grid_load(const T *p) {
    T v = __atomic_load_n(p, __ATOMIC_RELAXED);
    if (v == ~T(0)) std::this_thread::yield(); // still vacant: the caller will ask again
    return v;
}
template <class T, class V> static void grid_store(T *p, V v) { __atomic_store_n(p, (T)v, __ATOMIC_RELAXED); }

static void fiber() {
    fibers.body(fibers.args);
    fibers.is_done[fibers.current] = true;
    swapcontext(&fibers.threads[fibers.current], &fibers.home);
}

static void run_block(void (*body)(const void *), const void *args, bool has_barriers) {
    if (!has_barriers) {
        for (unsigned t = 0; t < blockDim.x; t++) threadIdx = {t, 0, 0}, body(args);
        return;
    }
    const size_t stack = 64 << 10;
    fibers.body = body, fibers.args = args;
    fibers.threads.resize(blockDim.x), fibers.stacks.resize(stack * blockDim.x);
    fibers.is_done.assign(blockDim.x, false);
    for (unsigned t = 0; t < blockDim.x; t++) {
        getcontext(&fibers.threads[t]);
        fibers.threads[t].uc_stack.ss_sp = &fibers.stacks[stack * t];
        fibers.threads[t].uc_stack.ss_size = stack;
        fibers.threads[t].uc_link = &fibers.home;
        makecontext(&fibers.threads[t], fiber, 0);
    }
    for (bool is_running = true; is_running;) {
        is_running = false;
        for (unsigned t = 0; t < blockDim.x; t++) {
            if (fibers.is_done[t]) continue;
            fibers.current = t, threadIdx = {t, 0, 0}, is_running = true;
            swapcontext(&fibers.home, &fibers.threads[t]);
        }
    }
}

template <class Run> static void run_grid(unsigned blocks, Run run) {
    std::vector<std::thread> threads;
    for (unsigned block = 0; block < blocks; block++) threads.emplace_back(run, block);
    for (std::thread &thread : threads) thread.join();
}

enum Waits { NEVER, IN_BLOCK, FOR_ALL };
struct Entry { const char *name; void (*body)(const void *); Waits waits; };
static std::vector<Entry> &entries() { static std::vector<Entry> all; return all; }
struct Register {
    Register(const char *name, void (*body)(const void *), Waits waits) { entries().push_back({name, body, waits}); }
};

#define HOST_KERNEL(name, waits)                                                                               \
    static void name(const struct Args &a);                                                                    \
    static void name##_body(const void *args) { name(*(const struct Args *)args); }                            \
    static Register name##_entry(#name, name##_body, waits);                                                   \
    static void name(const struct Args &a)
#define KERNEL(name) HOST_KERNEL(name, NEVER)
#define BARRIER_KERNEL(name) HOST_KERNEL(name, IN_BLOCK)
#define LEAN_KERNEL(name, blocks) KERNEL(name)
#define LEAN_BARRIER_KERNEL(name, blocks) BARRIER_KERNEL(name)
#define SMALL_KERNEL(name) HOST_KERNEL(name, IN_BLOCK)
#define COOPERATIVE_KERNEL(name) HOST_KERNEL(name, FOR_ALL)
