// Sums and maxima over all blocks. The order is fixed, so that the same device gives the same bits.

// The larger or the smaller of two numbers; NaN if either is.
template <class T> __device__ inline T larger(T x, T y) { return x > y || x != x ? x : y; }
template <class T> __device__ inline T smaller(T x, T y) { return x < y || x != x ? x : y; }

// Combines two values of number n. The first SUMS numbers are sums, the others are maxima.
template <int SUMS> __device__ inline double combine(int n, double x, double y) {
    return n < SUMS ? x + y : larger(x, y);
}

// Combines v over the threads of a block, of which there are COUNT. All of them get the result.
template <int SUMS, int MAXIMA, int COUNT = THREADS>
__device__ inline void reduce_block(double (*shared)[COUNT], double *v) {
    const int N = SUMS + MAXIMA;
    int t = threadIdx.x;
#ifdef HAS_SHUFFLES
    for (int n = 0; n < N; n++) {
        for (int step = WARP / 2; step; step /= 2) v[n] = combine<SUMS>(n, v[n], __shfl_xor_sync(~0u, v[n], step));
        if (t % WARP == 0) shared[n][t / WARP] = v[n];
    }
    const int left = COUNT / WARP;
#else
    for (int n = 0; n < N; n++) shared[n][t] = v[n];
    const int left = COUNT;
#endif
    __syncthreads();
    for (int n = 0; n < N; n++) {
        v[n] = shared[n][0];
        for (int other = 1; other < left; other++) v[n] = combine<SUMS>(n, v[n], shared[n][other]);
    }
    __syncthreads();
}

// Combines v over all threads of all blocks. The block that arrives last combines what the others have left. Returns
// true on one of its threads, which has the result.
template <int SUMS, int MAXIMA> __device__ inline bool reduce_both(const Args &a, double *v) {
    const int N = SUMS + MAXIMA;
    __shared__ double shared[N][THREADS];
    __shared__ int is_last;
    reduce_block<SUMS, MAXIMA>(shared, v);
    if (threadIdx.x == 0) {
        for (int n = 0; n < N; n++) a.partials[n * gridDim.x + blockIdx.x] = v[n];
        __threadfence();
        is_last = atomicInc(&a.scalars->arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return false;
    __threadfence();
    for (int n = 0; n < N; n++) {
        double sum = n < SUMS ? 0.0 : -INFINITY;
#pragma unroll 8
        for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x)
            sum = combine<SUMS>(n, sum, *(volatile double *)(a.partials + n * gridDim.x + block));
        v[n] = sum;
    }
    reduce_block<SUMS, MAXIMA>(shared, v);
    return threadIdx.x == 0;
}

template <int N, bool IS_MAX> __device__ inline bool reduce(const Args &a, double *v) {
    return reduce_both<IS_MAX ? 0 : N, IS_MAX ? N : 0>(a, v);
}

__device__ inline bool reduce_max(const Args &a, double value, double &most) {
    most = value;
    return reduce<1, true>(a, &most);
}
