// Times Eigen's conjugate gradients with incomplete Cholesky on the linear part
// of a problem folder: A p = -b, with the wall rows treated like any other row.
//
//   eigen_iccg FOLDER        (reads FOLDER/A.mtx and FOLDER/b.npy)
//
// Prints one JSON line per ordering of the factorisation. Single-threaded.

#if __has_include(<Eigen/Sparse>)
#include <Eigen/Sparse>
#else
#include <eigen3/Eigen/Sparse> // where Debian puts it
#endif

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef _OPENMP
#error "this benchmark is meant for one thread: compile without OpenMP"
#endif

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using Vector = Eigen::VectorXd;

static std::string slurp(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::string bytes(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error("cannot read " + path);
  return bytes;
}

// The next whitespace-separated number at `at`, which moves past it.
template <class Number> static Number next(const char *&at, const char *end) {
  while (at != end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || *at == '+')) ++at;
  Number value{};
  const auto [rest, error] = std::from_chars(at, end, value);
  if (error != std::errc{}) throw std::runtime_error("A.mtx: a number is missing or malformed");
  at = rest;
  return value;
}

// Matrix Market, "coordinate real symmetric": one triangle is stored, and the
// other is its mirror image. Both are filled in, so that the product with A
// runs along whole rows.
static Matrix read_symmetric(const std::string &path) {
  const std::string text = slurp(path);
  const char *at = text.data(), *end = at + text.size();
  const auto line_end = [&] {
    const auto *nl = static_cast<const char *>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    return nl ? nl : end;
  };

  const std::string banner(at, line_end());
  if (banner.rfind("%%MatrixMarket matrix coordinate real symmetric", 0) != 0)
    throw std::runtime_error(path + ": expected 'matrix coordinate real symmetric', got: " + banner);
  while (at != end && (*at == '%' || *at == '\n')) at = line_end() + (line_end() != end);

  const int rows = next<int>(at, end), columns = next<int>(at, end);
  const auto stored = next<std::int64_t>(at, end);
  if (rows <= 0 || rows != columns || stored < 0) throw std::runtime_error(path + ": bad size line");

  std::vector<Eigen::Triplet<double, int>> entries;
  entries.reserve(2 * static_cast<std::size_t>(stored));
  for (std::int64_t k = 0; k < stored; ++k) {
    const int i = next<int>(at, end) - 1, j = next<int>(at, end) - 1;
    const double value = next<double>(at, end);
    if (i < 0 || j < 0 || i >= rows || j >= rows) throw std::runtime_error(path + ": index out of range");
    entries.emplace_back(i, j, value);
    if (i != j) entries.emplace_back(j, i, value);
  }
  Matrix matrix(rows, rows);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// NumPy format 1.0, little-endian doubles: magic, version, a 16-bit header
// length, the header (a Python dictionary), then the raw numbers.
static Vector read_npy(const std::string &path, Eigen::Index expected) {
  const std::string bytes = slurp(path);
  if (bytes.size() < 10 || bytes.compare(0, 7, "\x93NUMPY\x01") != 0)
    throw std::runtime_error(path + ": not an npy file of format 1.0");
  const auto byte = [&](std::size_t k) { return std::size_t(static_cast<unsigned char>(bytes[k])); };
  const std::size_t start = 10 + byte(8) + 256 * byte(9);
  if (bytes.size() < start || bytes.substr(10, start - 10).find("'<f8'") == std::string::npos)
    throw std::runtime_error(path + ": expected little-endian f64");
  Vector values(expected);
  const std::size_t size = sizeof(double) * static_cast<std::size_t>(expected);
  if (bytes.size() - start != size) throw std::runtime_error(path + ": length differs from the rows of A");
  std::memcpy(values.data(), bytes.data() + start, size);
  return values;
}

// Sets up and solves once from p = 0; true if the tolerance was reached.
template <class Ordering> static bool bench(const char *name, const Matrix &A, const Vector &b) {
  using Preconditioner = Eigen::IncompleteCholesky<double, Eigen::Lower, Ordering>;
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };

  const Vector rhs = -b;
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Preconditioner> solver;
  solver.setTolerance(1e-8); // on |r| / |b| in the 2-norm

  const auto begin = Clock::now();
  solver.compute(A);
  const auto ready = Clock::now();
  const Vector p = solver.solve(rhs);
  const auto done = Clock::now();

  const auto iterations = static_cast<long>(solver.iterations());
  const double setup = seconds(ready - begin), solve = seconds(done - ready);
  // Recomputed from p, as the solver's own figure comes from its recurrence.
  const double residual = (rhs - A * p).norm() / rhs.norm();
  std::printf("{\"peer\":\"%s\",\"rows\":%ld,\"iterations\":%ld,\"setup_seconds\":%.6f,\"solve_seconds\":%.6f,"
              "\"seconds_per_iteration\":%.9f,\"relative_residual\":%.3e}\n",
              name, static_cast<long>(A.rows()), iterations, setup, solve,
              iterations > 0 ? solve / static_cast<double>(iterations) : 0.0, residual);
  std::fflush(stdout);
  return solver.info() == Eigen::Success;
}

int main(int argc, char **argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  const Matrix A = read_symmetric(folder + "/A.mtx");
  const Vector b = read_npy(folder + "/b.npy", A.rows());
  const bool natural = bench<Eigen::NaturalOrdering<int>>("eigen-iccg-natural", A, b);
  const bool amd = bench<Eigen::AMDOrdering<int>>("eigen-iccg-amd", A, b);
  return natural && amd ? 0 : 1;
} catch (const std::exception &error) {
  std::fprintf(stderr, "eigen_iccg: %s\n", error.what());
  return 2;
}
