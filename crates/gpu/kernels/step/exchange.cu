// Sources and drains: particles that come and go, and the velocity of those that come.

__device__ inline bool is_in_emitter(const DeviceStep &s, const double *point) {
    const DeviceEmitter &emitter = s.emitters[s.emitter];
    return distance_to(s.parts + emitter.first, emitter.parts, point) < 0.0;
}

// Gives a particle the velocity of the source.
__device__ inline void enter(const DeviceStep &s, int particle) {
    const DeviceParticles &p = s.particles_now;
    for (int axis = 0; axis < DIM; axis++)
        p.velocity[axis][particle] = (float)s.emitters[s.emitter].velocity[axis];
    if (s.is_affine)
        for (int n = 0; n < DIM * DIM; n++) p.affine[n][particle] = 0.0f;
}

// How many particles a source has. They keep its velocity as long as they are inside.
BARRIER_KERNEL(count_inside) {
    const DeviceStep &s = a.liquid;
    double inside = 0.0;
    for (int particle = OWN_THREAD(); particle < s.particles; particle += gridDim.x * blockDim.x) {
        double point[DIM];
        point_of(s, place_of(s, s.particles_now, particle), point);
        if (!is_in_emitter(s, point)) continue;
        enter(s, particle);
        inside += 1.0;
    }
    if (reduce<1, false>(a, &inside)) s.totals->inside = inside;
}

// The distance to solids at a point, from that at the nodes.
__device__ inline double exact_distance(const DeviceStep &s, const double *point) {
    int node[DIM];
    double part[DIM], corner[1 << DIM];
    for (int axis = 0; axis < DIM; axis++) {
        double place = fmin(fmax((point[axis] - s.lower[axis]) / s.length, 0.0), (double)s.cells[axis]);
        node[axis] = min((int)place, s.cells[axis] - 1), part[axis] = place - node[axis];
    }
    for (int choice = 0; choice < 1 << DIM; choice++) {
        int at[DIM];
        for (int axis = 0; axis < DIM; axis++) at[axis] = node[axis] + (choice >> axis & 1);
        corner[choice] = s.solid_exact[node_index(s.cells, at)];
    }
    for (int axis = DIM - 1; axis >= 0; axis--)
        for (int one = 0; one < 1 << axis; one++) corner[one] += part[axis] * (corner[one + (1 << axis)] - corner[one]);
    return corner[0];
}

// The square of the distance from each site to the nearest particle of its own and the neighbouring cells, at most that
// of a cell. Sites inside of solids have none.
KERNEL(measure_sites) {
    const DeviceStep &s = a.liquid;
    const DeviceParticles &p = s.particles_now;
    const DeviceEmitter &emitter = s.emitters[s.emitter];
    if (OWN_THREAD() >= emitter.sites) return;
    int site = emitter.first_site + OWN_THREAD(), own[DIM];
    double point[DIM], nearest = s.length * s.length;
    for (int axis = 0; axis < DIM; axis++) point[axis] = s.site_point[axis][site];
    if (s.has_solid_sites && !(exact_distance(s, point) > 0.0)) {
        s.site_room[site] = -1.0;
        return;
    }
    cell_at(s.cells, (int)s.site_cell[site], own);
    for (int around = 0; around < (DIM == 3 ? 27 : 9); around++) {
        Place place;
        place.cell[0] = own[0] + around % 3 - 1, place.cell[1] = own[1] + around / 3 % 3 - 1;
        if (DIM == 3) place.cell[DIM - 1] = own[DIM - 1] + around / 9 - 1;
        if (!is_inside(s.cells, place.cell)) continue;
        int cell = cell_index(s.cells, place.cell), end = s.starts[cell + 1];
        for (int particle = s.starts[cell]; particle < end; particle++) {
            double there[DIM], square = 0.0;
            for (int axis = 0; axis < DIM; axis++) place.part[axis] = p.offset[axis][particle];
            point_of(s, place, there);
            for (int axis = 0; axis < DIM; axis++) square += (there[axis] - point[axis]) * (there[axis] - point[axis]);
            nearest = fmin(nearest, square);
        }
    }
    s.site_room[site] = nearest;
}

// Particles at the sites that the host has chosen, behind all others.
KERNEL(enter_particles) {
    const DeviceStep &s = a.liquid;
    const DeviceParticles &p = s.particles_now;
    int number = OWN_THREAD(), particle = s.particles + number;
    if (number >= s.entering) return;
    int site = s.chosen[number];
    p.cell[particle] = s.site_cell[site];
    p.id[particle] = s.next_id + number;
    for (int axis = 0; axis < DIM; axis++) p.offset[axis][particle] = s.site_offset[axis][site];
    enter(s, particle);
}

// Removes what a drain covers, and counts it.
BARRIER_KERNEL(drain_particles) {
    const DeviceStep &s = a.liquid;
    const DeviceParticles &p = s.particles_now;
    double gone = 0.0;
    for (int particle = OWN_THREAD(); particle < s.particles; particle += gridDim.x * blockDim.x) {
        if (p.cell[particle] == NOWHERE) continue;
        double point[DIM];
        point_of(s, place_of(s, p, particle), point);
        if (!is_in_emitter(s, point)) continue;
        p.cell[particle] = NOWHERE;
        gone += 1.0;
    }
    if (reduce<1, false>(a, &gone)) s.totals->inside = gone;
}

// Whether a face lies in the source at work, or not further beyond it than `reach` in metres.
__device__ inline bool is_face_in_emitter(const DeviceStep &s, int axis, const int *at, double reach) {
    const DeviceEmitter &emitter = s.emitters[s.emitter];
    double point[DIM];
    for (int other = 0; other < DIM; other++) point[other] = s.lower[other] + (at[other] + 0.5) * s.length;
    point[axis] -= 0.5 * s.length;
    return distance_to(s.parts + emitter.first, emitter.parts, point) < reach;
}

// Gives the liquid inside of a source the velocity of the source, also in its mouth if the liquid is viscous. This alone sets
// how much enters. It works on what extrapolation works on.
KERNEL(prescribe_faces) {
    const DeviceStep &s = a.liquid;
    OWN_NODE_OR_RETURN(s.cells, at);
    for (int axis = 0; axis < DIM; axis++) {
        if (!has_face(s.cells, axis, at) || !is_face_in_emitter(s, axis, at, s.viscous.mouth)) continue;
        int face = face_index(s.cells, axis, at);
        s.spreading.value[axis][face] = (float)s.emitters[s.emitter].velocity[axis];
        if (s.spreading.known[axis]) s.spreading.known[axis][face] = 1;
    }
}
