// A viscous step works on a box of cells around the liquid, with a rim. Face i across an axis is the lower one of cell i,
// edge i of two axes is the lower one of cell i along both. viscosity/ of unstick_liquid says why things are as they are.

#define PAIRS (DIM == 3 ? 3 : 1)
#define LEAST_NORMAL 1e-4  // of a plane that cuts a volume
#define LEAST_RATE 2.2250738585072014e-308 // rates of shear and velocities below are divided by as this

// The axes of a pair by its number, in order: 01, 02, 12; and the number of a pair of different axes.
__device__ inline int first_of_pair(int pair) { return pair == 2; }
__device__ inline int second_of_pair(int pair) { return pair == 0 ? 1 : 2; }
__device__ inline int pair_of(int one, int other) { return DIM == 2 ? 0 : one + other - 1; }

// The place of this thread; returns if there is none.
#define OWN_BOX_PLACE_OR_RETURN(level, place, own)                                                             \
    int own = OWN_THREAD(), place[DIM];                                                                        \
    if (own >= (level).places) return;                                                                         \
    cell_at((level).shape, own, place)

__device__ inline bool is_in_box(const DeviceStep &s, const int *place) {
    bool inside = true;
    for (int axis = 0; axis < DIM; axis++)
        inside &= place[axis] >= VISCOUS_RIM && place[axis] < s.viscous.fine.cells[axis] + VISCOUS_RIM;
    return inside;
}

// A place of the box on the grid.
__device__ inline void on_grid(const DeviceStep &s, const int *place, int *at) {
    for (int axis = 0; axis < DIM; axis++) at[axis] = place[axis] - VISCOUS_RIM + s.viscous.first[axis];
}

// The open part of a cell; nothing in the rim.
__device__ inline float cell_open_at(const DeviceStep &s, const int *place) {
    if (!is_in_box(s, place)) return 0.0f;
    int at[DIM];
    on_grid(s, place, at);
    return s.cell_open[cell_index(s.cells, at)];
}

__device__ inline void shifted(const int *place, int axis, int by, int *other) {
    for (int along = 0; along < DIM; along++) other[along] = place[along];
    other[axis] += by;
}

// The open part of a face between two open cells; zero where no liquid shears.
__device__ inline float box_face_open(const DeviceStep &s, int axis, const int *place) {
    int below[DIM], at[DIM];
    shifted(place, axis, -1, below);
    if (!(cell_open_at(s, place) > 0.0f && cell_open_at(s, below) > 0.0f)) return 0.0f;
    on_grid(s, place, at);
    return s.open[axis][face_index(s.cells, axis, at)];
}

// The distance to the liquid. Beyond the border of the grid there is a mirror.
__device__ inline double depth_at(const DeviceStep &s, const int *place) {
    int at[DIM];
    on_grid(s, place, at);
    for (int axis = 0; axis < DIM; axis++) at[axis] = max(0, min(at[axis], s.cells[axis] - 1));
    return s.liquid[cell_index(s.cells, at)];
}

// The part of a cell behind a plane at a distance from its middle.
__device__ inline double part_behind_plane(const double *gradient, double distance) {
    double size = 0.0, normal[DIM], sum = 0.0, product = 1.0, total = 0.0;
    for (int axis = 0; axis < DIM; axis++) size += fabs(gradient[axis]);
    if (!(size > 0.0)) return distance < 0.0 ? 1.0 : 0.0;
    for (int axis = 0; axis < DIM; axis++) {
        normal[axis] = fmax(fabs(gradient[axis]) / size, LEAST_NORMAL);
        sum += normal[axis], product *= normal[axis] * (axis + 1);
    }
    double depth = (0.5 - distance / size) * sum;
    if (depth <= 0.0 || depth >= sum) return depth <= 0.0 ? 0.0 : 1.0;
    for (int corner = 0; corner < 1 << DIM; corner++) {
        double reach = depth, power = 1.0;
        for (int axis = 0; axis < DIM; axis++)
            if (corner >> axis & 1) reach -= normal[axis];
        for (int axis = 0; axis < DIM; axis++) power *= fmax(reach, 0.0);
        total += __popc((unsigned)corner) % 2 ? -power : power;
    }
    return fmin(fmax(total / product, 0.0), 1.0);
}

// A plane in the middle of a volume: its distance, and its slope in cells.
struct Plane {
    double distance, slope[DIM];
};

// The surface in the volume that straddles the axes of a mask below a cell.
__device__ inline Plane surface_in(const DeviceStep &s, const int *place, int straddled) {
    Plane plane;
    double share = 1.0 / (1 << __popc((unsigned)straddled)), depth[1 << DIM];
    plane.distance = 0.0;
    for (int axis = 0; axis < DIM; axis++) plane.slope[axis] = 0.0;
    for (int choice = 0; choice < 1 << DIM; choice++) {
        if (choice & ~straddled) continue;
        int below[DIM];
        for (int axis = 0; axis < DIM; axis++) below[axis] = place[axis] - (choice >> axis & 1);
        depth[choice] = share * depth_at(s, below);
        plane.distance += depth[choice];
    }
    // Most volumes are full or empty.
    if (fabs(plane.distance) >= s.viscous.far) return plane;
    double square = 0.0;
    for (int axis = 0; axis < DIM; axis++) {
        for (int choice = 0; choice < 1 << DIM; choice++) {
            if (choice & ~straddled) continue;
            if (straddled >> axis & 1) {
                plane.slope[axis] += choice >> axis & 1 ? -2.0 * depth[choice] : 2.0 * depth[choice];
                continue;
            }
            int below[DIM], above[DIM];
            for (int other = 0; other < DIM; other++) below[other] = place[other] - (choice >> other & 1);
            shifted(below, axis, 1, above), below[axis]--;
            plane.slope[axis] += 0.5 * share * (depth_at(s, above) - depth_at(s, below));
        }
        square += plane.slope[axis] * plane.slope[axis];
    }
    // A distance has the slope one. Differences miss it where it ends.
    double length = sqrt(square);
    for (int axis = 0; axis < DIM; axis++)
        if (length > s.viscous.clear) plane.slope[axis] /= length;
    return plane;
}

// The liquid part of that volume.
__device__ inline double liquid_part(const DeviceStep &s, const int *place, int straddled) {
    Plane plane = surface_in(s, place, straddled);
    if (fabs(plane.distance) >= s.viscous.far) return plane.distance < 0.0 ? 1.0 : 0.0;
    return part_behind_plane(plane.slope, plane.distance);
}
