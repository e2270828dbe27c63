// The kernels of one dimension as functions of the host. The build script writes kernels.cu.
#include "host.h"
#include "kernels.cu"

} // namespace

#define JOIN_(name, dim) name##dim
#define JOIN(name, dim) JOIN_(name, dim)

// Runs a kernel by name. Returns 0 if there is no such kernel or if the arguments have another size.
extern "C" int JOIN(unstick_emulate_, DIM)(const char *name, unsigned blocks, unsigned threads, const void *args,
                                           size_t size) {
    if (size != sizeof(Args)) return 0;
    for (const Entry &entry : entries()) {
        if (strcmp(entry.name, name)) continue;
        auto run = [&](unsigned block) {
            blockDim = {threads, 1, 1}, gridDim = {blocks, 1, 1}, blockIdx = {block, 0, 0};
            run_block(entry.body, args, entry.waits != NEVER);
        };
        if (entry.waits == FOR_ALL)
            run_grid(blocks, run);
        else
            for (unsigned block = 0; block < blocks; block++) run(block);
        return 1;
    }
    return 0;
}
