#define KERNEL(name) extern "C" __global__ void __launch_bounds__(THREADS) name(const __grid_constant__ Args a)
#define BARRIER_KERNEL(name) KERNEL(name)
#define SMALL_KERNEL(name) extern "C" __global__ void __launch_bounds__(SMALL_THREADS) name(const __grid_constant__ Args a)
#define INFINITY __int_as_float(0x7f800000)
