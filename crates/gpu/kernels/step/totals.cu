// What the host reports of a step. Sums are in double precision, in a fixed order.

// Energies, without the mass, and the fastest particle.
BARRIER_KERNEL(measure_particles) {
    const DeviceStep &s = a.liquid;
    const DeviceParticles &p = s.particles_now;
    double v[3] = {0.0, 0.0, 0.0};
    for (int particle = OWN_THREAD(); particle < s.particles; particle += gridDim.x * blockDim.x) {
        int cell[DIM];
        cell_at(s.cells, (int)p.cell[particle], cell);
        double square = 0.0;
        for (int axis = 0; axis < DIM; axis++) {
            double velocity = p.velocity[axis][particle];
            double height = (double)s.spacing * (cell[axis] + (double)p.offset[axis][particle]) - s.half_step * velocity;
            square += velocity * velocity;
            v[1] += s.gravity[axis] * height;
        }
        v[0] += square;
        v[2] = larger(v[2], square);
    }
    if (!reduce_both<2, 1>(a, v)) return;
    s.totals->squares = v[0], s.totals->lift = v[1], s.totals->fastest = v[2];
}

// Where there are particles, and the space that they fill: each block counts its particles, but hardly more than there is room for.
BARRIER_KERNEL(measure_volume) {
    const DeviceStep &s = a.liquid;
    double v[7] = {0.0, -1e9, -1e9, -1e9, -1e9, -1e9, -1e9};
    for (int own = OWN_THREAD(); own < cell_count_of(s.blocks); own += gridDim.x * blockDim.x) {
        int block[DIM];
        cell_at(s.blocks, own, block);
        double present = 0.0, room = 0.0;
        FOR_CELLS_OF_BLOCK(s, block, cell) {
            int index = cell_index(s.cells, cell);
            present += s.starts[index + 1] - s.starts[index];
            room += s.cell_open[index];
        }
        v[0] += smaller(present * s.share, s.crowded * room);
        for (int axis = 0; axis < DIM && present > 0.0; axis++) {
            v[1 + axis] = larger(v[1 + axis], (double)block[axis]);
            v[4 + axis] = larger(v[4 + axis], (double)-block[axis]);
        }
    }
    if (!reduce_both<1, 6>(a, v)) return;
    s.totals->volume = v[0];
    for (int n = 0; n < 6; n++) s.totals->occupied[n] = v[1 + n];
}

// Volume inside the surface and outside of solids. The cube between neighbouring centres counts by the part
// Σ(−φ)⁺/Σ|φ| of it that is inside, times the part of it that is open.
BARRIER_KERNEL(measure_surface) {
    const DeviceStep &s = a.liquid;
    double volume = 0.0;
    int nodes[3] = {s.cells[0] + 1, s.cells[1] + 1, s.cells[2] + 1};
    for (int own = OWN_THREAD(); own < cell_count_of(nodes); own += gridDim.x * blockDim.x) {
        int at[DIM], cell[DIM];
        cell_at(nodes, own, at);
        float open = clamped(0.5f + s.solid[own], 0.0f, 1.0f), inside = 0.0f, all = 0.0f;
        if (open == 0.0f) continue;
        for (int choice = 0; choice < 1 << DIM; choice++) {
            for (int axis = 0; axis < DIM; axis++)
                cell[axis] = max(0, min(at[axis] + (choice >> axis & 1) - 1, s.cells[axis] - 1));
            int index = cell_index(s.cells, cell);
            float distance = s.shown[index];
            // In a closed cell the distance goes on behind the wall. At the wall it is less by the depth of the cell.
            if (distance < 0.0f && is_closed(s, index)) distance = fminf(distance - solid_at_centre(s, cell), 0.0f);
            inside += fmaxf(-distance, 0.0f);
            all += fabsf(distance);
        }
        if (inside > 0.0f) volume += (double)open * inside / all;
    }
    if (reduce<1, false>(a, &volume)) s.totals->surface_volume = volume;
}
