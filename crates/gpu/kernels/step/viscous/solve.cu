// Conjugate gradients in double precision around the multigrid cycle. What counts is the error of the velocity, which is
// about what a cycle makes of the residual.

// The residual at the start of a solve, r ← r − strain (u + x) − (mass + drag) x; also the largest values of it and of x.
BARRIER_KERNEL(begin_viscous_solve) {
    const DeviceViscous &v = a.liquid.viscous;
    const ViscousLevel &l = v.fine;
    double most[2] = {0.0, 0.0};
    auto velocity = [&](int axis, int at) { return velocity_in_round(v, axis, at); };
    for (int face = OWN_THREAD(); face < DIM * l.places; face += gridDim.x * blockDim.x) {
        int axis = face / l.places, own = face % l.places;
        double force = is_inner(l, own) ? strain_force<double>(l, axis, own, velocity) : 0.0;
        v.residual[face] -= force + l.face[face] * v.change[face];
        most[0] = larger(most[0], fabs(v.residual[face])), most[1] = larger(most[1], fabs(v.change[face]));
    }
    if (reduce<2, true>(a, most)) v.sums->residual = most[0], v.sums->largest = most[1];
}

// Single precision has room for numbers near one.
KERNEL(load_viscous_cycle) {
    const DeviceViscous &v = a.liquid.viscous;
    double unit = v.sums->residual;
    if (OWN_THREAD() >= DIM * v.fine.places) return;
    v.fine.b[OWN_THREAD()] = unit == 0.0 ? 0.0f : (float)(v.residual[OWN_THREAD()] / unit);
}

// Without a cycle, where mass outweighs strain.
KERNEL(scale_viscous_residual) {
    const ViscousLevel &l = a.liquid.viscous.fine;
    if (OWN_THREAD() < DIM * l.places) l.x[OWN_THREAD()] = l.inverse[OWN_THREAD()] * l.b[OWN_THREAD()];
}

// z = x of the finest level times the largest residual.
BARRIER_KERNEL(measure_viscous_cycle) {
    const DeviceViscous &v = a.liquid.viscous;
    double sums[2] = {0.0, 0.0}, unit = v.sums->residual;
    for (int face = OWN_THREAD(); face < DIM * v.fine.places; face += gridDim.x * blockDim.x) {
        double z = v.fine.x[face] * unit;
        sums[0] += v.residual[face] * z, sums[1] = larger(sums[1], fabs(z));
    }
    if (!reduce_both<1, 1>(a, sums)) return;
    v.sums->rho_before = v.sums->rho, v.sums->rho = sums[0], v.sums->size = sums[1];
}

// The next direction: p ← z + ρ/ρ₋ p.
KERNEL(turn_viscous) {
    const DeviceViscous &v = a.liquid.viscous;
    int face = OWN_THREAD();
    if (face >= DIM * v.fine.places) return;
    double z = v.fine.x[face] * v.sums->residual;
    v.direction[face] = v.starts ? z : z + v.sums->rho / v.sums->rho_before * v.direction[face];
}

// The product with the direction, and the curvature along it.
BARRIER_KERNEL(multiply_viscous) {
    const DeviceViscous &v = a.liquid.viscous;
    const ViscousLevel &l = v.fine;
    double curvature = 0.0;
    auto velocity = [&](int axis, int at) { return v.direction[axis * l.places + at]; };
    for (int face = OWN_THREAD(); face < DIM * l.places; face += gridDim.x * blockDim.x) {
        int axis = face / l.places, own = face % l.places;
        double product = l.face[face] * v.direction[face];
        if (is_inner(l, own)) product += strain_force<double>(l, axis, own, velocity);
        v.product[face] = product;
        curvature += product * v.direction[face];
    }
    if (reduce<1, false>(a, &curvature)) v.sums->curvature = curvature;
}

// x ← x + α p, r ← r − α A p. Where a number that must be positive is not, nothing changes, and the host ends the solve.
BARRIER_KERNEL(step_viscous) {
    const DeviceViscous &v = a.liquid.viscous;
    double most[2] = {0.0, 0.0};
    bool is_sound = v.sums->rho > 0.0 && v.sums->curvature > 0.0;
    double length = is_sound ? v.sums->rho / v.sums->curvature : 0.0;
    for (int face = OWN_THREAD(); face < DIM * v.fine.places; face += gridDim.x * blockDim.x) {
        if (is_sound) {
            v.change[face] += length * v.direction[face];
            v.residual[face] -= length * v.product[face];
        }
        most[0] = larger(most[0], fabs(v.residual[face])), most[1] = larger(most[1], fabs(v.change[face]));
    }
    if (reduce<2, true>(a, most)) v.sums->residual = most[0], v.sums->largest = most[1];
}

// The last z is added: about as much of it is left as of the z before.
KERNEL(add_last_cycle) {
    const DeviceViscous &v = a.liquid.viscous;
    int face = OWN_THREAD();
    if (face < DIM * v.fine.places) v.change[face] += v.fine.x[face] * v.sums->residual;
}
