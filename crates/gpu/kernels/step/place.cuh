// Places on the grid of a step, and values of fields between the places where they are stored. A place is a cell and the
// way through it, so that single precision is that of a cell, not that of the grid. Lengths are in cells.

struct Place {
    int cell[DIM];
    float part[DIM];
};

// The stored value below a place along one axis, and the part of the way to the next.
struct Split {
    int below;
    float part;
};

__device__ inline int cell_index(const int *cells, const int *at) {
    return DIM == 3 ? at[0] + cells[0] * (at[1] + cells[1] * at[DIM - 1]) : at[0] + cells[0] * at[1];
}

// The index of a face across an axis.
__device__ inline int face_index(const int *cells, int axis, const int *at) {
    int nx = cells[0] + (axis == 0), ny = cells[1] + (axis == 1);
    return DIM == 3 ? at[0] + nx * (at[1] + ny * at[DIM - 1]) : at[0] + nx * at[1];
}

__device__ inline int node_index(const int *cells, const int *at) {
    int nx = cells[0] + 1, ny = cells[1] + 1;
    return DIM == 3 ? at[0] + nx * (at[1] + ny * at[DIM - 1]) : at[0] + nx * at[1];
}

__device__ inline void cell_at(const int *cells, int index, int *at) {
    at[0] = index % cells[0];
    at[1] = index / cells[0];
    if (DIM == 3) at[DIM - 1] = at[1] / cells[1], at[1] %= cells[1];
}

__device__ inline bool is_inside(const int *cells, const int *at) {
    bool inside = true;
    for (int axis = 0; axis < DIM; axis++) inside &= at[axis] >= 0 && at[axis] < cells[axis];
    return inside;
}

// Whether a face across an axis belongs to the grid, where a node is its lower corner.
__device__ inline bool has_face(const int *cells, int axis, const int *at) {
    bool has = true;
    for (int other = 0; other < DIM; other++) has &= other == axis || at[other] < cells[other];
    return has;
}

// The cell or the node of this thread; returns if there is none. A node stands for the cell above it and for the lower
// faces of that cell: the last nodes along an axis for the upper border.
#define OWN_THREAD() ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define OWN_CELL_OR_RETURN(cells, at, own)                                                                     \
    int own = OWN_THREAD(), at[DIM];                                                                           \
    if (own >= cell_count_of(cells)) return;                                                                   \
    cell_at(cells, own, at)
#define OWN_NODE_OR_RETURN(cells, at)                                                                          \
    int at[DIM];                                                                                               \
    if (!node_at(cells, OWN_THREAD(), at)) return

// The same for nodes that extrapolation can reach.
#define OWN_NEAR_NODE_OR_RETURN(s, at)                                                                         \
    int at[DIM];                                                                                               \
    if (OWN_THREAD() >= cell_count_of((s).near_size)) return;                                                  \
    cell_at((s).near_size, OWN_THREAD(), at);                                                                  \
    for (int axis = 0; axis < DIM; axis++) at[axis] += (s).near_first[axis]

__device__ inline int cell_count_of(const int *cells) { return cells[0] * cells[1] * (DIM == 3 ? cells[2] : 1); }

__device__ inline bool node_at(const int *cells, int index, int *at) {
    int nodes[3] = {cells[0] + 1, cells[1] + 1, cells[2] + 1};
    if (index >= cell_count_of(nodes)) return false;
    cell_at(nodes, index, at);
    return true;
}

__device__ inline float clamped(float x, float least, float most) { return fminf(fmaxf(x, least), most); }

__device__ inline Place place_of(const DeviceStep &s, const DeviceParticles &p, int particle) {
    Place place;
    cell_at(s.cells, (int)p.cell[particle], place.cell);
    for (int axis = 0; axis < DIM; axis++) place.part[axis] = p.offset[axis][particle];
    return place;
}

// Brings every part between 0 and 1. The cell may lie beyond the grid.
__device__ inline void settle(Place &place) {
    for (int axis = 0; axis < DIM; axis++) {
        float whole = floorf(place.part[axis]);
        place.cell[axis] += (int)whole;
        place.part[axis] -= whole;
    }
}

__device__ inline Place ahead(Place place, float stride, const float *velocity) {
    for (int axis = 0; axis < DIM; axis++) place.part[axis] += stride * velocity[axis];
    settle(place);
    return place;
}

// Along an axis of `cells` cells, among nodes or faces across the axis; constant beyond the border.
__device__ inline Split among_nodes(int cells, int cell, float part) {
    Split split = {cell, part};
    if (cell < 0) split.below = 0, split.part = 0.0f;
    if (cell >= cells) split.below = cells - 1, split.part = 1.0f;
    return split;
}

// The same among centres of cells.
__device__ inline Split among_centres(int cells, int cell, float part) {
    Split split = {cell, part - 0.5f};
    if (split.part < 0.0f) split.below--, split.part += 1.0f;
    if (split.below < 0) split.below = 0, split.part = 0.0f;
    if (split.below >= cells - 1) {
        split.below = cells > 1 ? cells - 2 : 0;
        split.part = cells > 1 ? 1.0f : 0.0f;
    }
    return split;
}

// A lattice of values around a place: those below along each axis, and the steps to the next.
struct Cube {
    int start, step[DIM];
    float part[DIM];
};

__device__ inline Cube cube_at(const int *shape, const Split *split) {
    Cube cube;
    cube.start = 0;
    int stride = 1;
    for (int axis = 0; axis < DIM; axis++) {
        cube.start += split[axis].below * stride;
        cube.step[axis] = shape[axis] > 1 ? stride : 0;
        cube.part[axis] = split[axis].part;
        stride *= shape[axis];
    }
    return cube;
}

__device__ inline void corners_of(const float *field, const Cube &cube, float *corner) {
    for (int choice = 0; choice < 1 << DIM; choice++) {
        int at = cube.start;
        for (int axis = 0; axis < DIM; axis++) at += (choice >> axis & 1) * cube.step[axis];
        corner[choice] = field[at];
    }
}

__device__ inline float within(const float *field, const Cube &cube) {
    float corner[1 << DIM];
    corners_of(field, cube, corner);
    for (int axis = DIM - 1; axis >= 0; axis--)
        for (int one = 0; one < 1 << axis; one++)
            corner[one] += cube.part[axis] * (corner[one + (1 << axis)] - corner[one]);
    return corner[0];
}

// The faces across an axis around a place.
__device__ inline Cube faces_around(const int *cells, int axis, const Place &place) {
    Split split[DIM];
    int shape[DIM];
    for (int other = 0; other < DIM; other++) {
        shape[other] = cells[other] + (other == axis);
        split[other] = other == axis ? among_nodes(cells[other], place.cell[other], place.part[other])
                                     : among_centres(cells[other], place.cell[other], place.part[other]);
    }
    return cube_at(shape, split);
}

__device__ inline void velocity_at(const int *cells, float *const *faces, const Place &place, float *velocity) {
    for (int axis = 0; axis < DIM; axis++) velocity[axis] = within(faces[axis], faces_around(cells, axis, place));
}

// The third-order Runge–Kutta rule of Ralston.
__device__ inline Place follow(const int *cells, float *const *faces, const Place &place, float stride) {
    float first[DIM], second[DIM], third[DIM];
    velocity_at(cells, faces, place, first);
    velocity_at(cells, faces, ahead(place, 0.5f * stride, first), second);
    velocity_at(cells, faces, ahead(place, 0.75f * stride, second), third);
    for (int axis = 0; axis < DIM; axis++)
        first[axis] = (2.0f * first[axis] + 3.0f * second[axis] + 4.0f * third[axis]) / 9.0f;
    return ahead(place, stride, first);
}

__device__ inline float solid_at(const DeviceStep &s, const Place &place) {
    Split split[DIM];
    int shape[DIM];
    for (int axis = 0; axis < DIM; axis++) {
        shape[axis] = s.cells[axis] + 1;
        split[axis] = among_nodes(s.cells[axis], place.cell[axis], place.part[axis]);
    }
    return within(s.solid, cube_at(shape, split));
}

// The distance of the centre of a cell to solids.
__device__ inline float solid_at_centre(const DeviceStep &s, const int *at) {
    Place place;
    for (int axis = 0; axis < DIM; axis++) place.cell[axis] = at[axis], place.part[axis] = 0.5f;
    return solid_at(s, place);
}

// The unit vector out of the nearest solid, by differences over a tenth of a cell; zero where there is none.
__device__ inline void solid_normal(const DeviceStep &s, const Place &place, float *normal) {
    float square = 0.0f;
    for (int axis = 0; axis < DIM; axis++) {
        Place below = place, above = place;
        below.part[axis] -= 0.1f, above.part[axis] += 0.1f;
        settle(below), settle(above);
        normal[axis] = (solid_at(s, above) - solid_at(s, below)) / 0.2f;
        square += normal[axis] * normal[axis];
    }
    float length = sqrtf(square);
    for (int axis = 0; axis < DIM; axis++) normal[axis] = length > 1e-6f ? normal[axis] / length : 0.0f;
}
