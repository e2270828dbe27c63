// Surface tension: the curvature of the surface, and what the jump of the pressure does to the velocity of its faces.
// tension/ of unstick_liquid says why. All but the last kernel work on a patch: a box of cells around the liquid that may
// reach beyond the border of the grid.

#define VARIANCE_OF_PARTS (1.0 / 6.0)
#define LEAST_GRADIENT 0.25
#define LEAST_WEIGHT 1e-3f

// The index of a place in the patch; −1 outside.
__device__ inline int in_patch(const DeviceStep &s, const int *place) {
    return is_inside(s.patch_size, place) ? cell_index(s.patch_size, place) : -1;
}

#define OWN_PLACE_OR_RETURN(s, place, own) OWN_CELL_OR_RETURN((s).patch_size, place, own)

// The part of liquid of a cell, as linear weights see it across a plane surface at its distance. Cells that are not beside
// the surface are full or empty.
__device__ inline float part_of(const DeviceStep &s, const int *at) {
    float depth = clamped(-s.liquid[cell_index(s.cells, at)], -1.0f, 1.0f);
    bool is_wet = depth > 0.0f, is_beside = false;
    for (int around = 0; around < (DIM == 3 ? 27 : 9); around++) {
        int other[DIM], shift = around;
        for (int axis = 0; axis < DIM; axis++, shift /= 3)
            other[axis] = max(0, min(at[axis] + shift % 3 - 1, s.cells[axis] - 1));
        is_beside |= (s.liquid[cell_index(s.cells, other)] < 0.0f) != is_wet;
    }
    if (!is_beside) return is_wet ? 1.0f : 0.0f;
    float away = 1.0f - fabsf(depth);
    return is_wet ? 1.0f - 0.5f * away * away : 0.5f * away * away;
}

// The parts between the centres of cells around a point, with linear weights; those of the border beyond it.
__device__ inline float part_between(const DeviceStep &s, const float *point) {
    int below[DIM];
    float part[DIM], sum = 0.0f;
    for (int axis = 0; axis < DIM; axis++) {
        float along = clamped(point[axis] - 0.5f, 0.0f, (float)(s.cells[axis] - 1));
        below[axis] = (int)along, part[axis] = along - (float)below[axis];
    }
    for (int corner = 0; corner < 1 << DIM; corner++) {
        int cell[DIM];
        float weight = 1.0f;
        for (int axis = 0; axis < DIM; axis++) {
            int upper = corner >> axis & 1;
            weight *= upper ? part[axis] : 1.0f - part[axis];
            cell[axis] = min(below[axis] + upper, s.cells[axis] - 1);
        }
        if (weight > 0.0f) sum += weight * part_of(s, cell);
    }
    return sum;
}

// The parts of liquid. Solids and what is beyond the border have those of their mirror image, so that the surface meets
// walls at a right angle.
KERNEL(fill_parts) {
    const DeviceStep &s = a.liquid;
    OWN_PLACE_OR_RETURN(s, place, own);
    int at[DIM];
    for (int axis = 0; axis < DIM; axis++) {
        int count = s.cells[axis], index = (s.patch_first[axis] + place[axis]) % (2 * count);
        if (index < 0) index += 2 * count;
        at[axis] = index < count ? index : 2 * count - 1 - index;
    }
    float depth = s.has_solids ? solid_at_centre(s, at) : 1.0f;
    if (depth >= 0.0f) {
        s.blur_to[own] = part_of(s, at);
        return;
    }
    Place centre;
    float normal[DIM], image[DIM];
    for (int axis = 0; axis < DIM; axis++) centre.cell[axis] = at[axis], centre.part[axis] = 0.5f;
    solid_normal(s, centre, normal);
    for (int axis = 0; axis < DIM; axis++) image[axis] = (float)at[axis] + 0.5f - 2.0f * depth * normal[axis];
    s.blur_to[own] = part_between(s, image);
}

// A Gauss filter along one axis, with zeros outside of the patch.
KERNEL(blur_patch) {
    const DeviceStep &s = a.liquid;
    OWN_PLACE_OR_RETURN(s, place, own);
    int stride = 1;
    for (int axis = 0; axis < s.blur_axis; axis++) stride *= s.patch_size[axis];
    int along = place[s.blur_axis], count = s.patch_size[s.blur_axis];
    double sum = 0.0;
    for (int tap = -s.blur_reach; tap <= s.blur_reach; tap++)
        if (along + tap >= 0 && along + tap < count)
            sum += s.taps[tap < 0 ? -tap : tap] * s.blur_from[own + tap * stride];
    s.blur_to[own] = (float)sum;
}

// How much a cell counts: most at the surface.
__device__ inline float weight_of(float part) {
    part = clamped(part, 0.0f, 1.0f);
    float weight = 4.0f * part * (1.0f - part);
    return weight * weight;
}

// The coordinate across a plane surface at which a Gauss filter leaves a part of liquid [Winitzki2008].
__device__ inline double coordinate_of(double width, double part) {
    const double shape = 0.147, pi = 3.14159265358979323846;
    double value = 2.0 * fmin(fmax(part, 1e-4), 1.0 - 1e-4) - 1.0, bend = log(1.0 - value * value);
    double half = 2.0 / (pi * shape) + 0.5 * bend;
    double inverse = sqrt(fmax(sqrt(half * half - bend / shape) - half, 0.0));
    return sqrt(2.0) * width * (value < 0.0 ? -inverse : inverse);
}

// Curvature of the surface beside a place of a smoothed field, in 1/cell; false where there is no surface.
__device__ inline bool curvature_beside(const DeviceStep &s, const float *field, double width, const int *place,
                                        int own, double &curvature) {
    int stride[DIM], step = 1;
    for (int axis = 0; axis < DIM; axis++) {
        if (place[axis] == 0 || place[axis] + 1 >= s.patch_size[axis]) return false;
        stride[axis] = step, step *= s.patch_size[axis];
    }
    auto at = [&](int index) { return coordinate_of(width, field[index]); };
    double middle = at(own), gradient[DIM], hessian[DIM][DIM], square = 0.0;
    for (int axis = 0; axis < DIM; axis++) {
        double below = at(own - stride[axis]), above = at(own + stride[axis]);
        gradient[axis] = 0.5 * (above - below);
        hessian[axis][axis] = above - 2.0 * middle + below;
        square += gradient[axis] * gradient[axis];
        for (int other = 0; other < axis; other++) {
            auto corner = [&](int one, int two) { return at(own + one * stride[axis] + two * stride[other]); };
            double mixed = 0.25 * (corner(1, 1) - corner(1, -1) - corner(-1, 1) + corner(-1, -1));
            hessian[axis][other] = hessian[other][axis] = mixed;
        }
    }
    double size = sqrt(square);
    if (size < LEAST_GRADIENT) return false;
    // −PHP/|g|, P the projection on the tangent plane, has the principal curvatures and zero as its eigenvalues.
    double along[DIM], across = 0.0, sum = 0.0, squares = 0.0;
    for (int i = 0; i < DIM; i++) {
        along[i] = 0.0;
        for (int j = 0; j < DIM; j++) along[i] += hessian[i][j] * gradient[j] / size;
        across += gradient[i] / size * along[i];
    }
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) {
            double normal_i = gradient[i] / size, normal_j = gradient[j] / size;
            double part = hessian[i][j] - normal_i * along[j] - along[i] * normal_j + across * normal_i * normal_j;
            squares += part / size * (part / size);
            if (i == j) sum -= part / size;
        }
    curvature = fmin(fmax(sum - squares * middle / size, -1.0), 1.0);
    return true;
}

// The curvatures once and twice smoothed, the weight of each place, and the first of them times that.
KERNEL(find_curvature) {
    const DeviceStep &s = a.liquid;
    OWN_PLACE_OR_RETURN(s, place, own);
    double square = s.filter_width * s.filter_width, first, second;
    float weight = weight_of(s.smoothed[own]);
    bool is_known = weight > LEAST_WEIGHT &&
                    curvature_beside(s, s.smoothed, sqrt(square + VARIANCE_OF_PARTS), place, own, first) &&
                    curvature_beside(s, s.smoothed_twice, sqrt(2.0 * square + VARIANCE_OF_PARTS), place, own, second);
    s.weight[own] = is_known ? weight : 0.0f;
    s.curvature[own] = is_known ? weight * (float)first : 0.0f;
    s.excess[own] = is_known ? weight * (float)(3.0 * first - second) : 0.0f;
}

// The mean curvature along the surface, where any is resolved.
__device__ inline float mean_curvature(const DeviceStep &s, int own) {
    float weight = s.weight_around[own];
    return weight > 10.0f * LEAST_WEIGHT ? clamped(s.curvature[own] / weight, -1.0f, 1.0f) : 0.0f;
}

// Weight times 3 κ(G c) − κ(G² c) − T κ(G c), which is smoothed along the surface next.
KERNEL(correct_curvature) {
    const DeviceStep &s = a.liquid;
    OWN_PLACE_OR_RETURN(s, place, own);
    s.excess[own] -= s.weight[own] * mean_curvature(s, own);
}

// The area of the surface: ∫|∇c| of the smoothed parts of liquid in the open space [Brackbill1992].
BARRIER_KERNEL(measure_tension) {
    const DeviceStep &s = a.liquid;
    double area = 0.0;
    for (int own = OWN_THREAD(); own < cell_count_of(s.cells); own += gridDim.x * blockDim.x) {
        if (!(s.cell_open[own] > 0.0f)) continue;
        int place[DIM];
        cell_at(s.cells, own, place);
        for (int axis = 0; axis < DIM; axis++) place[axis] -= s.patch_first[axis];
        if (in_patch(s, place) < 0) continue;
        double square = 0.0;
        for (int axis = 0; axis < DIM; axis++) {
            int below[DIM], above[DIM];
            for (int other = 0; other < DIM; other++) below[other] = above[other] = place[other];
            below[axis] = max(place[axis] - 1, 0), above[axis] = min(place[axis] + 1, s.patch_size[axis] - 1);
            double change = 0.5 * ((double)s.smoothed[in_patch(s, above)] - s.smoothed[in_patch(s, below)]);
            square += change * change;
        }
        area += s.cell_open[own] * sqrt(square);
    }
    if (reduce<1, false>(a, &area)) s.totals->area = area;
}

// What tension adds to the velocity of a face within the step: −γκ Δt/(ρ h² θ) out of the liquid, at the surface.
__device__ inline double pull_of_surface(const DeviceStep &s, int axis, const int *at) {
    if (!s.smoothed || at[axis] == 0 || at[axis] == s.cells[axis]) return 0.0;
    if (s.open[axis][face_index(s.cells, axis, at)] == 0.0f) return 0.0;
    int below[DIM];
    for (int other = 0; other < DIM; other++) below[other] = at[other] - (other == axis);
    float lower = s.liquid[cell_index(s.cells, below)], upper = s.liquid[cell_index(s.cells, at)];
    if ((lower < 0.0f) == (upper < 0.0f)) return 0.0;
    int place[DIM], inside, outside;
    for (int other = 0; other < DIM; other++) place[other] = at[other] - s.patch_first[other];
    inside = in_patch(s, place), place[axis]--, outside = in_patch(s, place);
    if (lower < 0.0f) { int swap = inside; inside = outside, outside = swap; }
    double in = lower < 0.0f ? lower : upper, out = lower < 0.0f ? upper : lower;
    double theta = theta_of(in, out, s.least_theta);
    double curvature = (1.0 - theta) * (inside < 0 ? 0.0 : mean_curvature(s, inside)) +
                       theta * (outside < 0 ? 0.0 : mean_curvature(s, outside));
    return (lower < 0.0f ? -1.0 : 1.0) * s.tension_scale * curvature / theta;
}
