// The limits of the device, for comparison.

// Copies level.x to level.b.
KERNEL(copy_cells) {
    int count = 2 * a.level.size / 4;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        ((float4 *)a.level.b)[i] = ((const float4 *)a.level.x)[i];
}

KERNEL(nothing) {}
