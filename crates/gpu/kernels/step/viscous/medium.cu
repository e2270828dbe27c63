// The system of a viscous step: strain in cells and on edges, in single precision. Every coefficient then has an error of
// its own of 6e-8, which leaves the system symmetric and positive, and rotations without strain.

// How far the middle of the open part of a face lies from its own middle along another axis.
__device__ inline double shift_of_face(const DeviceStep &s, int axis, int other, const int *face) {
    double open = s.open[axis][face_index(s.cells, axis, face)], slope[DIM], size = 0.0;
    if (open >= 1.0) return 0.0;
    for (int along = 0; along < DIM; along++) slope[along] = 0.0;
    for (int choice = 0; choice < 1 << DIM; choice++) {
        if (choice >> axis & 1) continue;
        int node[DIM];
        for (int along = 0; along < DIM; along++) node[along] = face[along] + (choice >> along & 1);
        double distance = s.solid[node_index(s.cells, node)];
        for (int along = 0; along < DIM; along++)
            if (along != axis) slope[along] += choice >> along & 1 ? distance : -distance;
    }
    for (int along = 0; along < DIM; along++) size += fabs(slope[along]);
    return size > 0.0 ? 0.5 * (1.0 - open) * slope[other] / size : 0.0;
}

// How much stiffer an edge is because the open parts of its faces lie closer together than a cell.
__device__ inline double edge_stiffness(const DeviceStep &s, int pair, const int *place) {
    int edge[DIM], axes[2] = {first_of_pair(pair), second_of_pair(pair)};
    double stiffness = 1.0;
    on_grid(s, place, edge);
    for (int turn = 0; turn < 2; turn++) {
        int axis = axes[turn], other = axes[1 - turn], below[DIM];
        shifted(edge, other, -1, below);
        double distance = 1.0 + shift_of_face(s, axis, other, edge) - shift_of_face(s, axis, other, below);
        stiffness /= fmin(fmax(distance, 0.5), 1.5);
    }
    for (int along = 0; along < DIM; along++) {
        if (along == axes[0] || along == axes[1]) continue;
        int end[DIM];
        shifted(edge, along, 1, end);
        double one = s.solid[node_index(s.cells, edge)], other = s.solid[node_index(s.cells, end)];
        stiffness *= one > 0.0 && !(other > 0.0)   ? one / (one - other)
                     : other > 0.0 && !(one > 0.0) ? other / (other - one)
                                                   : 1.0;
    }
    return stiffness;
}

// The coefficient of strain along an axis in a cell, for Δt ν/h² = 1.
__device__ inline double strain_in_cell(const DeviceStep &s, int axis, const int *place) {
    int above[DIM];
    shifted(place, axis, 1, above);
    if (!(box_face_open(s, axis, place) > 0.0f && box_face_open(s, axis, above) > 0.0f)) return 0.0;
    return 2.0 * liquid_part(s, place, 0) * cell_open_at(s, place);
}

// The same on an edge.
__device__ inline double strain_on_edge(const DeviceStep &s, int pair, const int *place) {
    int axes[2] = {first_of_pair(pair), second_of_pair(pair)};
    bool is_whole = true;
    for (int turn = 0; turn < 2; turn++)
        for (int down = 0; down < 2; down++) {
            int face[DIM];
            shifted(place, axes[1 - turn], -down, face);
            float open = box_face_open(s, axes[turn], face);
            if (!(open > 0.0f)) return 0.0;
            is_whole &= open >= 1.0f;
        }
    double part = liquid_part(s, place, 1 << axes[0] | 1 << axes[1]);
    return is_whole ? part : part * edge_stiffness(s, pair, place);
}

__device__ inline double viscosity_at(const DeviceViscous &v, int own) {
    return v.viscosity ? (double)v.viscosity[own] : v.numbers[0];
}

// The viscosity at a rate of shear.
__device__ inline double law_of_viscosity(const DeviceViscous &v, double rate) {
    const double *n = v.numbers;
    switch (v.law) {
    case ViscousLaw::PowerLaw: return fmin(fmax(n[0] * pow(rate, n[1] - 1.0), n[2]), n[3]);
    case ViscousLaw::Carreau:
        return n[1] + (n[0] - n[1]) * pow(1.0 + (n[2] * rate) * (n[2] * rate), 0.5 * (n[3] - 1.0));
    case ViscousLaw::Yield:
        rate = fmax(rate, LEAST_RATE);
        return fmin(n[0] / rate + n[1] * pow(rate, n[2] - 1.0), n[3]);
    default: return n[0];
    }
}

// The velocity across a face of the box as this round sees it. The first round of viscosity knows that with which the step
// began: forces shear what a yield stress holds.
__device__ inline double velocity_in_round(const DeviceViscous &v, int axis, int own) {
    int face = axis * v.fine.places + own;
    return v.before[face] + v.change[face];
}

__device__ inline double sheared_velocity(const DeviceStep &s, int axis, const int *place, int own) {
    if (s.viscous.round > 0) return velocity_in_round(s.viscous, axis, own);
    int at[DIM];
    on_grid(s, place, at);
    return s.gathered.value[axis][face_index(s.cells, axis, at)];
}

// Viscosity by the rate of shear.
KERNEL(find_viscosity) {
    const DeviceStep &s = a.liquid;
    const DeviceViscous &v = s.viscous;
    OWN_BOX_PLACE_OR_RETURN(v.fine, place, own);
    double squared = 0.0;
    for (int axis = 0; axis < DIM && is_in_box(s, place); axis++) {
        if (!(strain_in_cell(s, axis, place) > 0.0)) continue;
        int above[DIM];
        shifted(place, axis, 1, above);
        double stretch = sheared_velocity(s, axis, above, own + v.fine.stride[axis]) - sheared_velocity(s, axis, place, own);
        squared += 2.0 * stretch * stretch;
    }
    for (int pair = 0; pair < PAIRS && is_in_box(s, place); pair++) {
        int one = first_of_pair(pair), other = second_of_pair(pair);
        double sum = 0.0, count = 0.0;
        for (int corner = 0; corner < 4; corner++) {
            int edge[DIM], below[DIM], left[DIM];
            shifted(place, one, corner & 1, edge), edge[other] += corner >> 1;
            if (!(strain_on_edge(s, pair, edge) > 0.0)) continue;
            shifted(edge, other, -1, below), shifted(edge, one, -1, left);
            int index = cell_index(v.fine.shape, edge);
            double shear = sheared_velocity(s, one, edge, index) -
                           sheared_velocity(s, one, below, index - v.fine.stride[other]) +
                           sheared_velocity(s, other, edge, index) -
                           sheared_velocity(s, other, left, index - v.fine.stride[one]);
            sum += shear * shear, count += 1.0;
        }
        squared += count > 0.0 ? sum / count : 0.0;
    }
    v.viscosity[own] = (float)law_of_viscosity(v, sqrt(squared) / s.length);
}

// The coefficients of strain on the finest level.
KERNEL(fill_strain) {
    const DeviceStep &s = a.liquid;
    const DeviceViscous &v = s.viscous;
    OWN_BOX_PLACE_OR_RETURN(v.fine, place, own);
    bool is_inside = is_in_box(s, place);
    for (int axis = 0; axis < DIM; axis++) {
        double strain = is_inside ? strain_in_cell(s, axis, place) : 0.0;
        v.fine.cell[axis * v.fine.places + own] = (float)(strain > 0.0 ? strain * v.scale * viscosity_at(v, own) : 0.0);
    }
    for (int pair = 0; pair < PAIRS; pair++) {
        int one = v.fine.stride[first_of_pair(pair)], other = v.fine.stride[second_of_pair(pair)];
        double strain = strain_on_edge(s, pair, place);
        if (strain > 0.0)
            strain *= v.scale * 0.25 *
                      (viscosity_at(v, own) + viscosity_at(v, own - one) + viscosity_at(v, own - other) +
                       viscosity_at(v, own - one - other));
        v.fine.edge[pair * v.fine.places + own] = (float)strain;
    }
}
