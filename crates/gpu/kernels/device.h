#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ Args a)
#define BARRIER_KERNEL(name) KERNEL(name)

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
#define SHARED_MEMORY(name) extern __shared__ __align__(16) char name[]
// A product that is rounded, whatever is added to it.
__device__ inline double times(double x, double y) { return __dmul_rn(x, y); }
#define INFINITY __int_as_float(0x7f800000)
