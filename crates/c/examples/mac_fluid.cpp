// The pressure step of a fluid code on a staggered grid: a block of liquid under the ceiling of a closed box.
//
// With separating walls it falls freely from the ceiling and the sides let it slide; a wall that could pull would hold it.
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "unstick.h"

namespace {

struct Free {
  void operator()(unstick_solver *solver) const { unstick_free(solver); }
};
using Solver = std::unique_ptr<unstick_solver, Free>;

Solver make_solver() {
  unstick_error error;
  unstick_options options = unstick_default_options();
  options.threads = 2;
  unstick_solver *solver = nullptr;
  if (unstick_create_for_fields(&options, &solver, &error) != UNSTICK_STATUS_OK) throw std::runtime_error(error.message);
  return Solver(solver);
}

constexpr size_t n = 16;
size_t cell(size_t x, size_t y) { return x + n * y; }
size_t across_x(size_t x, size_t y) { return x + (n + 1) * y; }
size_t across_y(size_t x, size_t y) { return x + n * y; }

} // namespace

int main() try {
  const double h = 1.0 / n, dt = 0.01, gravity = -9.81;
  std::vector<double> liquid(n * n), u((n + 1) * n), v(n * (n + 1)), open_x(u.size(), 1.0), open_y(v.size(), 1.0);
  for (size_t y = 0; y < n; y++) {
    open_x[across_x(0, y)] = open_x[across_x(n, y)] = 0.0;
    for (size_t x = 0; x < n; x++) liquid[cell(x, y)] = y >= 3 * n / 4 ? -0.5 * h : 0.5 * h; // the upper quarter
  }
  for (size_t x = 0; x < n; x++) open_y[across_y(x, 0)] = open_y[across_y(x, n)] = 0.0;
  auto separating = std::make_unique<bool[]>(n * n), let_go = std::make_unique<bool[]>(n * n);
  std::fill_n(separating.get(), n * n, true);

  unstick_fields fields{};
  fields.cells[0] = fields.cells[1] = n; // the third number stays zero: the plane
  fields.spacing = h;
  fields.liquid = liquid.data();
  fields.velocity[0] = u.data(), fields.velocity[1] = v.data();
  fields.open[0] = open_x.data(), fields.open[1] = open_y.data();
  fields.separating = separating.get();

  Solver solver = make_solver();
  std::vector<double> q(n * n); // kept from step to step: a warm start
  unstick_error error;
  double speed = 0.0;
  for (int step = 1; step <= 5; step++) {
    speed += dt * gravity;
    for (size_t y = 3 * n / 4; y <= n; y++)
      for (size_t x = 0; x < n; x++) v[across_y(x, y)] = speed; // the ceiling's face too: it may be left
    unstick_report report;
    if (unstick_solve_fields(solver.get(), &fields, q.data(), let_go.get(), &report, &error) != UNSTICK_STATUS_OK)
      throw std::runtime_error(error.message);
    double most = 0.0;
    for (double value : q) most = std::fmax(most, std::fabs(value));
    std::printf("step %d: speed %.3f, %zu of %zu wall cells let go, largest q %.1e\n", step, speed, report.active_rows,
                report.wall_rows, most);
    // It falls freely: nothing pushes, nothing pulls.
    if (!report.has_converged || report.active_rows == 0 || most > 1e-9) return 1;
  }
  return 0;
} catch (const std::exception &exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 1;
}
