// The kernels of one dimension as functions of the host.
#include "host.h"

#include "layout.cuh"
#include "reduce.cuh"
#include "stencil.cuh"
#include "sweep.cu"
#include "transfer.cu"
#include "setup.cu"
#include "walls.cu"
#include "near.cu"
#include "anchors.cu"
#include "krylov.cu"
#include "small.cu"
#include "upload.cu"
#include "assemble.cu"
#include "gradients.cu"
#include "crew.cu"
#include "newton.cu"
#include "probe.cu"

} // namespace

#define JOIN_(name, dim) name##dim
#define JOIN(name, dim) JOIN_(name, dim)

// Runs a kernel by name; 0 if there is none of that name or the arguments are of another size.
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
            run_crew(blocks, run);
        else
            for (unsigned block = 0; block < blocks; block++) run(block);
        return 1;
    }
    return 0;
}
