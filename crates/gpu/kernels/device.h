// What the kernels are written in terms of, for the device.

#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ Args a)
#define BARRIER_KERNEL(name) KERNEL(name)

// A kernel that computes little must have many loads under way. This many blocks run on a multiprocessor at a time,
// with fewer registers each.
#define LEAN_KERNEL(name, blocks)                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks) name(const __grid_constant__ Args a)
#define LEAN_BARRIER_KERNEL(name, blocks) LEAN_KERNEL(name, blocks)

// Blocks of a cluster run at the same time and can wait for each other (capability 9.0).
#if CLUSTER > 1
#define SMALL_KERNEL(name)                                                                                     \
    extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(SMALL_THREADS)                \
        name(const __grid_constant__ Args a)
__device__ inline void small_barrier() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#else
#define SMALL_KERNEL(name)                                                                                     \
    extern "C" __global__ void __launch_bounds__(SMALL_THREADS) name(const __grid_constant__ Args a)
__device__ inline void small_barrier() { __syncthreads(); }
#endif

// All blocks of a cooperative grid run at the same time and can wait for each other.
#define GRID_THREADS COOPERATIVE_THREADS
#define COOPERATIVE_KERNEL(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(GRID_THREADS) name(const __grid_constant__ Args a)
#define EVERY_WARP false
// Whoever sees a later write also sees the writes before the fence.
__device__ inline void grid_fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
__device__ inline unsigned long long grid_load(const unsigned long long *p) {
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
__device__ inline void grid_store(unsigned long long *p, unsigned long long v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

#define HAS_SHUFFLES
#define SHARED_MEMORY(name) extern __shared__ __align__(16) char name[]
// A product that is rounded before anything is added to it.
__device__ inline double times(double x, double y) { return __dmul_rn(x, y); }
#define INFINITY __int_as_float(0x7f800000)
