#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ Args a)
#define BARRIER_KERNEL(name) KERNEL(name)
#define WARP 32

// Where little is computed, many loads must be under way: so many blocks at a time, with fewer registers each.
#define LEAN_KERNEL(name, blocks)                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS, blocks) name(const __grid_constant__ Args a)
#define LEAN_BARRIER_KERNEL(name, blocks) LEAN_KERNEL(name, blocks)

// Blocks of a cluster are on the device at the same time and can wait for each other (capability 9.0).
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

// Blocks that are all on the device at the same time, launched so that they may wait for each other.
#define CREW_THREADS 512
#define CREW_KERNEL(name)                                                                                      \
    extern "C" __global__ void __launch_bounds__(CREW_THREADS) name(const __grid_constant__ Args a)
#define EVERY_WARP false
// What was written before is seen by whoever sees what is written after.
__device__ inline void crew_fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }
__device__ inline u64 crew_load(const u64 *p) {
    u64 v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}
__device__ inline void crew_store(u64 *p, u64 v) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
#define SHARED_MEMORY(name) extern __shared__ __align__(16) char name[]
// A product that is rounded, whatever is added to it.
__device__ inline double times(double x, double y) { return __dmul_rn(x, y); }
#define INFINITY __int_as_float(0x7f800000)
