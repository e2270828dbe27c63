// Conjugate gradients with AMGCL's smoothed aggregation, on the linear system A x = -b of a matrix in plain files.
//
//     amgcl FOLDER      with starts.bin, columns.bin (32 bits), values.bin and rhs.bin (double precision)
//
// AMGCL stops on the 2-norm. The loosest of a few tolerances is taken whose answer has a largest residual of 1e-6 of
// that of the right-hand side, which is what `unstick` stops on. Prints a line of JSON. OMP_NUM_THREADS sets the threads.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <boost/range/iterator_range.hpp>
#include <boost/tuple/tuple.hpp>

#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/relaxation/spai0.hpp>
#include <amgcl/solver/cg.hpp>

template <class T> std::vector<T> read(const std::string &path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    std::vector<T> values(file ? file.tellg() / sizeof(T) : 0);
    file.seekg(0);
    file.read(reinterpret_cast<char *>(values.data()), values.size() * sizeof(T));
    return values;
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu() {
    return double(std::clock()) / CLOCKS_PER_SEC;
}

int main(int argc, char **argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: amgcl FOLDER\n"), 2;
    const std::string folder = std::string(argv[1]) + "/";
    const auto starts = read<int32_t>(folder + "starts.bin"), columns = read<int32_t>(folder + "columns.bin");
    const auto values = read<double>(folder + "values.bin"), rhs = read<double>(folder + "rhs.bin");
    const int rows = int(rhs.size());

    using Backend = amgcl::backend::builtin<double>;
    using Multigrid = amgcl::amg<Backend, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::spai0>;
    using Gradients = amgcl::solver::cg<Backend>;
    double largest = 0.0;
    for (double value : rhs) largest = std::max(largest, std::abs(value));
    const double start = now(), start_cpu = cpu();
    const Multigrid multigrid(boost::tie(rows, starts, columns, values));
    const double setup = now() - start, setup_cpu = cpu() - start_cpu;
    for (double tolerance : {1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 1e-9, 1e-10}) {
        Gradients::params parameters;
        parameters.tol = tolerance;
        parameters.maxiter = 1000;
        const double begin = now(), begin_cpu = cpu();
        const Gradients gradients(rows, parameters);
        std::vector<double> x(rows, 0.0);
        size_t iterations;
        double error;
        boost::tie(iterations, error) = gradients(multigrid.system_matrix(), multigrid, rhs, x);
        const double solve = now() - begin, solve_cpu = cpu() - begin_cpu;
        double left = 0.0;
        for (int row = 0; row < rows; ++row) {
            double r = rhs[row];
            for (int at = starts[row]; at < starts[row + 1]; ++at) r -= values[at] * x[columns[at]];
            left = std::max(left, std::abs(r));
        }
        if (left <= 1e-6 * largest || tolerance == 1e-10) {
            std::printf("{\"peer\": \"amgcl, linear\", \"rows\": %d, \"setup\": %.4f, \"solve\": %.4f, \"cpu\": %.3f, "
                        "\"cycles\": %zu, \"residual\": %.2e}\n", rows, setup, solve, setup_cpu + solve_cpu,
                        iterations, left / largest);
            return left <= 1e-6 * largest ? 0 : 1;
        }
    }
}
