// Faces → particles, and particles through the velocity.

// Where the particles that are in turn go to, so that none is too close: each of a pair moves by half of what is missing.
KERNEL(spread_particles) {
    const DeviceStep &s = a.liquid;
    const DeviceParticles &p = s.particles_now;
    int turn = OWN_THREAD(), particle = s.first_in_turn + turn * s.turns;
    if (particle >= s.particles) return;
    Place here = place_of(s, p, particle);
    int low[DIM], high[DIM], cell[DIM];
    for (int axis = 0; axis < DIM; axis++) {
        low[axis] = max(here.cell[axis] - (here.part[axis] < s.least_distance), 0);
        high[axis] = min(here.cell[axis] + (here.part[axis] + s.least_distance >= 1.0f), s.cells[axis] - 1);
    }
    float way[DIM], least = s.least_distance;
    for (int axis = 0; axis < DIM; axis++) way[axis] = 0.0f;
    for (int z = DIM == 3 ? low[DIM - 1] : 0; z <= (DIM == 3 ? high[DIM - 1] : 0); z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                cell[0] = x, cell[1] = y;
                if (DIM == 3) cell[DIM - 1] = z;
                int index = cell_index(s.cells, cell), end = s.starts[index + 1];
                for (int other = s.starts[index]; other < end; other++) {
                    float apart[DIM], square = 0.0f;
                    for (int axis = 0; axis < DIM; axis++) {
                        apart[axis] = (float)(here.cell[axis] - cell[axis]) + (here.part[axis] - p.offset[axis][other]);
                        square += apart[axis] * apart[axis];
                    }
                    if (square >= least * least || other == particle) continue;
                    float distance = sqrtf(square);
                    if (distance > 1e-9f * least) {
                        float part = 0.5f * (least - distance) / distance;
                        for (int axis = 0; axis < DIM; axis++) way[axis] += part * apart[axis];
                    } else {
                        // Two in one place have no direction; their numbers choose one.
                        float half = particle < other ? 0.5f * least : -0.5f * least;
                        for (int axis = 0; axis < DIM; axis++)
                            way[axis] += axis == (particle + other) % DIM ? half : 0.0f;
                    }
                }
            }
    float square = 0.0f, still[DIM];
    for (int axis = 0; axis < DIM; axis++) square += way[axis] * way[axis], still[axis] = 0.0f;
    Place there = here;
    if (square > 0.0f) {
        float length = sqrtf(square);
        there = ahead(here, length > 0.5f * least ? 0.5f * least / length : 1.0f, way);
        push_out<false>(s, there, still); // its velocity stays
    }
    for (int axis = 0; axis < DIM; axis++)
        s.spread[axis][turn] = (float)(there.cell[axis] - here.cell[axis]) + there.part[axis];
}

// The gradient of a velocity component inside its cube of faces.
__device__ inline void gradient_in(const float *field, const Cube &cube, float *gradient) {
    float corner[1 << DIM];
    corners_of(field, cube, corner);
    for (int along = 0; along < DIM; along++) {
        gradient[along] = 0.0f;
        for (int choice = 0; choice < 1 << DIM; choice++) {
            float weight = choice >> along & 1 ? 1.0f : -1.0f;
            for (int other = 0; other < DIM; other++)
                if (other != along) weight *= choice >> other & 1 ? cube.part[other] : 1.0f - cube.part[other];
            gradient[along] += weight * corner[choice];
        }
    }
}

// The way through a cell as it is stored: a whole multiple of 2⁻²⁴ inside of the cell, so that a place in double
// precision gives it back.
__device__ inline float stored_part(float part) {
    const float unit = 1.0f / 16777216.0f;
    return clamped(rintf(part * 16777216.0f) * unit, unit, 1.0f - unit);
}

// New velocities from the faces, then the way through the velocity and out of solids. Counts the cells that particles
// arrive in.
template <bool IS_MOVING> __device__ inline void move_particle(const DeviceStep &s) {
    const DeviceParticles &p = s.particles_now;
    int particle = OWN_THREAD();
    if (particle >= s.particles) return;
    Place place = place_of(s, p, particle);
    float velocity[DIM];
    for (int axis = 0; axis < DIM; axis++) {
        Cube cube = faces_around(s.cells, axis, place);
        velocity[axis] = within(s.gathered.value[axis], cube);
        if (s.keep != 0.0f) velocity[axis] += s.keep * p.velocity[axis][particle];
        if (!s.is_affine) continue;
        float gradient[DIM];
        gradient_in(s.gathered.value[axis], cube, gradient);
        for (int along = 0; along < DIM; along++)
            p.affine[DIM * axis + along][particle] = s.calm / s.spacing * gradient[along];
    }
    int turn = particle - s.first_in_turn;
    if (s.turns && turn >= 0 && turn % s.turns == 0) {
        for (int axis = 0; axis < DIM; axis++) place.part[axis] = s.spread[axis][turn / s.turns];
        settle(place);
    }
    place = follow(s.cells, s.carrying.value, place, s.stride);
    push_out<IS_MOVING>(s, place, velocity);
    for (int axis = 0; axis < DIM; axis++) {
        p.offset[axis][particle] = stored_part(place.part[axis]);
        p.velocity[axis][particle] = velocity[axis];
    }
    int cell = cell_index(s.cells, place.cell);
    p.cell[particle] = cell;
    atomicAdd(s.scanned + cell, 1u);
}

KERNEL(move_particles) { move_particle<false>(a.liquid); }

// The same among solids that move.
KERNEL(move_among_moving) { move_particle<true>(a.liquid); }
