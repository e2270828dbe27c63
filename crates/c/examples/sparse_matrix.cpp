// A matrix of Eigen goes over without a copy of its values: its compressed rows are what the library takes.
#include <Eigen/Sparse>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "unstick.h"

int main() {
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
  const int n = 20, rows = n * n * n;
  std::vector<Eigen::Triplet<double>> entries;
  for (int row = 0; row < rows; row++) {
    const int place[] = {row % n, row / n % n, row / n / n}, stride[] = {1, n, n * n};
    entries.emplace_back(row, row, 6.0);
    for (int axis = 0; axis < 3; axis++) {
      if (place[axis] > 0) entries.emplace_back(row, row - stride[axis], -1.0);
      if (place[axis] + 1 < n) entries.emplace_back(row, row + stride[axis], -1.0);
    }
  }
  Matrix matrix(rows, rows);
  matrix.setFromTriplets(entries.begin(), entries.end());
  matrix.makeCompressed();

  unstick_error error;
  unstick_solver *solver = nullptr;
  const auto *starts = reinterpret_cast<const uint32_t *>(matrix.outerIndexPtr());
  const auto *columns = reinterpret_cast<const uint32_t *>(matrix.innerIndexPtr());
  if (unstick_create(rows, starts, columns, matrix.valuePtr(), nullptr, &solver, &error) != UNSTICK_STATUS_OK) {
    std::fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  Eigen::VectorXd b(rows), lower(rows), x = Eigen::VectorXd::Zero(rows);
  for (int row = 0; row < rows; row++) {
    b[row] = std::sin(0.1 * row);
    lower[row] = row % 5 == 0 ? 0.0 : -std::numeric_limits<double>::infinity();
  }
  unstick_report report;
  if (unstick_solve(solver, b.data(), lower.data(), x.data(), nullptr, &report, &error) != UNSTICK_STATUS_OK) {
    std::fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  const Eigen::VectorXd r = matrix * x + b;
  double worst = 0.0;
  for (int row = 0; row < rows; row++) worst = std::fmax(worst, std::fabs(std::fmin(r[row], x[row] - lower[row])));
  std::printf("%zu rows, %zu of %zu at their bound, %zu cycles, residual %.1e\n", report.rows, report.active_rows,
              report.wall_rows, report.cycles, worst);
  unstick_free(solver);
  return report.has_converged && worst <= 1e-6 ? 0 : 1;
}
