// Runs kernels on the host: a block's threads are fibers that take turns at barriers.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

// Two dimensions are compiled into one program: nothing here may be seen by the other.
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
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline unsigned __float_as_uint(float v) { unsigned u; memcpy(&u, &v, 4); return u; }
template <class T> static inline T atomicAdd(T *p, T v) { T old = *p; *p += v; return old; }
template <class T> static inline T atomicMax(T *p, T v) { T old = *p; if (v > old) *p = v; return old; }
static inline unsigned atomicInc(unsigned *p, unsigned most) { unsigned old = *p; *p = old >= most ? 0 : old + 1; return old; }

template <class T> static inline T atomicCAS(T *p, T expected, T v) { T old = *p; if (old == expected) *p = v; return old; }
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
    fibers.threads.resize(blockDim.x), fibers.is_done.assign(blockDim.x, false), fibers.stacks.resize(stack * blockDim.x);
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

struct Entry { const char *name; void (*body)(const void *); bool has_barriers; };
static std::vector<Entry> &entries() { static std::vector<Entry> all; return all; }
struct Register { Register(const char *name, void (*body)(const void *), bool b) { entries().push_back({name, body, b}); } };

#define HOST_KERNEL(name, has_barriers)                                                                        \
    static void name(const struct Args &a);                                                                    \
    static void name##_body(const void *args) { name(*(const struct Args *)args); }                            \
    static Register name##_entry(#name, name##_body, has_barriers);                                            \
    static void name(const struct Args &a)
#define KERNEL(name) HOST_KERNEL(name, false)
#define BARRIER_KERNEL(name) HOST_KERNEL(name, true)
#define SMALL_KERNEL(name) HOST_KERNEL(name, true)
