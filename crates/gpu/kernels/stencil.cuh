// Four rows of the matrix at once.

__device__ inline Four<float> load4(const float *p) {
    float4 v = *(const float4 *)p;
    return {v.x, v.y, v.z, v.w};
}

__device__ inline Four<double> load4(const double *p) {
    double2 v = ((const double2 *)p)[0], w = ((const double2 *)p)[1];
    return {v.x, v.y, w.x, w.y};
}

__device__ inline void store4(float *p, const Four<float> &x) {
    float4 v = {x.v[0], x.v[1], x.v[2], x.v[3]};
    *(float4 *)p = v;
}

__device__ inline void store4(double *p, const Four<double> &x) {
    double2 v = {x.v[0], x.v[1]}, w = {x.v[2], x.v[3]};
    ((double2 *)p)[0] = v, ((double2 *)p)[1] = w;
}

// The flags of four cells, a byte each.
__device__ inline unsigned flags4(const u8 *p) { return *(const unsigned *)p; }
__device__ inline unsigned flag(unsigned four, int k) { return (four >> (8 * k)) & 255u; }

// The same; plain groups need none.
__device__ inline unsigned flags_of(const DeviceLevel &level, int kind, int own) {
    return kind == PLAIN ? 0 : flags4(level.flags + own);
}

__device__ inline bool is_free(unsigned flags) { return (flags & (PRESENT | PINNED)) == PRESENT; }

__device__ inline bool is_free(int kind, unsigned flags, int k) { return kind == PLAIN || is_free(flag(flags, k)); }

// A matrix, and the vectors of r = A q + b with q >= lower.
template <class T> struct System {
    const T *coupling[3], *excess;
    T *q;
    const T *b, *lower;
    double unit; // the coupling between two inner cells, exact
};

__device__ inline System<double> fine_system(const Args &a) {
    System<double> s;
    for (int axis = 0; axis < DIM; axis++) s.coupling[axis] = a.coupling[axis];
    s.excess = a.excess, s.q = a.q, s.b = a.b, s.lower = a.lower, s.unit = a.unit;
    return s;
}

// The problem of a correction: r = A c + load with c >= floor.
__device__ inline System<float> correction_system(const DeviceLevel &level) {
    System<float> s;
    for (int axis = 0; axis < DIM; axis++) s.coupling[axis] = level.coupling[axis];
    s.excess = level.excess, s.q = level.correction, s.b = level.load, s.lower = level.floor, s.unit = level.unit;
    return s;
}

// The linear problem of a cycle: r = A x - b.
__device__ inline System<float> cycle_system(const DeviceLevel &level) {
    System<float> s = correction_system(level);
    s.q = level.x, s.b = level.b, s.lower = 0;
    return s;
}

// A value of four cells for each side: below and above along each axis.
template <class T> struct PerSide {
    Four<T> side[SIDES];
};

// The values of the neighbours of four cells of a colour.
template <class T>
__device__ inline PerSide<T> neighbours(const DeviceLevel &level, const T *other, int at, bool is_second) {
    PerSide<T> n;
    const T *p = other + at;
    Four<T> pair = load4(p), across;
    if (is_second)
        across = {pair.v[1], pair.v[2], pair.v[3], p[4]};
    else
        across = {p[-1], pair.v[0], pair.v[1], pair.v[2]};
    n.side[0] = is_second ? pair : across;
    n.side[1] = is_second ? across : pair;
    n.side[2] = load4(p - level.pitch);
    n.side[3] = load4(p + level.pitch);
#if DIM == 3
    n.side[4] = load4(p - level.plane);
    n.side[5] = load4(p + level.plane);
#endif
    return n;
}

// The couplings with the neighbours. A coupling is stored at the lower of its two cells.
template <class T>
__device__ inline PerSide<T> couplings(const DeviceLevel &level, const T *const coupling[3], int colour, int at,
                                      bool is_second) {
    PerSide<T> c;
    int own = colour * level.size + at, other = (1 - colour) * level.size + at;
    const T *p = coupling[0] + other;
    if (is_second)
        c.side[0] = load4(p);
    else {
        Four<T> pair = load4(p);
        c.side[0] = {p[-1], pair.v[0], pair.v[1], pair.v[2]};
    }
    c.side[1] = load4(coupling[0] + own);
    c.side[2] = load4(coupling[1] + other - level.pitch);
    c.side[3] = load4(coupling[1] + own);
#if DIM == 3
    c.side[4] = load4(coupling[2] + other - level.plane);
    c.side[5] = load4(coupling[2] + own);
#endif
    return c;
}

template <class T> struct Rows {
    Four<T> sum, diagonal; // sum of c_ij x_j; A_ii
};

template <class T>
__device__ inline Four<T> sum_of(const PerSide<T> &n) {
    Four<T> sum;
    for (int k = 0; k < 4; k++) {
        sum.v[k] = (n.side[0].v[k] + n.side[1].v[k]) + (n.side[2].v[k] + n.side[3].v[k]);
#if DIM == 3
        sum.v[k] += n.side[4].v[k] + n.side[5].v[k];
#endif
    }
    return sum;
}

// Rows of a group of any kind. Sides are added one by one, so that few registers are needed.
template <class T>
__device__ inline Rows<T> mixed_rows(const DeviceLevel &level, const System<T> &s, const T *other, int colour, int at,
                                     bool is_second) {
    int own = colour * level.size + at, mirror = (1 - colour) * level.size + at;
    Rows<T> rows;
    rows.diagonal = load4(s.excess + own);
    const T *p = other + at, *c = s.coupling[0] + mirror;
    {
        Four<T> below = load4(c), pair = load4(p), above = load4(s.coupling[0] + own), across;
        if (is_second)
            across = {pair.v[1], pair.v[2], pair.v[3], p[4]};
        else {
            across = {p[-1], pair.v[0], pair.v[1], pair.v[2]};
            below = {c[-1], below.v[0], below.v[1], below.v[2]};
        }
        for (int k = 0; k < 4; k++) {
            T down = is_second ? pair.v[k] : across.v[k], up = is_second ? across.v[k] : pair.v[k];
            rows.sum.v[k] = below.v[k] * down + above.v[k] * up;
            rows.diagonal.v[k] += below.v[k] + above.v[k];
        }
    }
#pragma unroll
    for (int axis = 1; axis < DIM; axis++) {
        int step = axis == 1 ? level.pitch : level.plane;
#pragma unroll
        for (int side = 0; side < 2; side++) {
            Four<T> coupling = load4(s.coupling[axis] + (side ? own : mirror - step));
            Four<T> x = load4(p + (side ? step : -step));
            for (int k = 0; k < 4; k++) {
                rows.sum.v[k] += coupling.v[k] * x.v[k];
                rows.diagonal.v[k] += coupling.v[k];
            }
        }
    }
    return rows;
}

// Rows of a group whose couplings are the unit or zero.
template <class T>
__device__ inline Rows<T> regular_rows(const DeviceLevel &level, const System<T> &s, const PerSide<T> &n, int colour,
                                       int at) {
    int own = colour * level.size + at;
    unsigned sides = flags4(level.sides + own);
    Rows<T> rows;
    rows.diagonal = load4(s.excess + own);
    for (int k = 0; k < 4; k++) {
        T sum = 0;
        for (int side = 0; side < SIDES; side++)
            if (flag(sides, k) >> side & 1) sum += n.side[side].v[k];
        rows.sum.v[k] = (T)s.unit * sum;
        rows.diagonal.v[k] += (T)s.unit * (T)__popc(flag(sides, k));
    }
    return rows;
}

// Rows of a group that is not empty. Each kind has a code path of its own.
template <class T>
__device__ inline Rows<T> rows_of(const DeviceLevel &level, const System<T> &s, const T *x, int kind, int colour,
                                  int at, bool is_second) {
    const T *other = x + (1 - colour) * level.size;
    if (kind == MIXED) return mixed_rows(level, s, other, colour, at, is_second);
    if (kind == REGULAR) return regular_rows(level, s, neighbours(level, other, at, is_second), colour, at);
    Rows<T> rows;
    rows.sum = sum_of(neighbours(level, other, at, is_second));
    for (int k = 0; k < 4; k++) {
        rows.sum.v[k] *= (T)s.unit;
        rows.diagonal.v[k] = (T)(SIDES * s.unit);
    }
    return rows;
}

template <class T>
__device__ inline Rows<T> rows_of(const DeviceLevel &level, const System<T> &s, const T *x, int kind,
                                  const Group &group, int colour) {
    return rows_of(level, s, x, kind, colour, group.at, holds_second(group, colour));
}

// A_ii of four rows that are not plain.
template <class T>
__device__ inline Four<T> diagonal_of(const DeviceLevel &level, const System<T> &s, int kind, const Group &group,
                                      int colour) {
    int own = colour * level.size + group.at;
    Four<T> diagonal = load4(s.excess + own);
    if (kind == REGULAR) {
        unsigned sides = flags4(level.sides + own);
        for (int k = 0; k < 4; k++) diagonal.v[k] += (T)s.unit * (T)__popc(flag(sides, k));
        return diagonal;
    }
    PerSide<T> c = couplings(level, s.coupling, colour, group.at, holds_second(group, colour));
    for (int k = 0; k < 4; k++)
        for (int side = 0; side < SIDES; side++) diagonal.v[k] += c.side[side].v[k];
    return diagonal;
}
