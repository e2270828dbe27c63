// Signed distances of shapes, in metres and in double precision, term by term as the processor computes them. A shape is
// a list of parts. A simple one leaves its distance, a combination joins the last distances that were left.

__device__ inline double length_of(const double *way) {
    double square = 0.0;
    for (int axis = 0; axis < DIM; axis++) square += way[axis] * way[axis];
    return sqrt(square);
}

// The point of a shape at rest that a rigid motion has brought to this place.
__device__ inline void at_rest(const double *rotation, const double *translation, const double *point, double *rest) {
    for (int row = 0; row < DIM; row++) {
        rest[row] = 0.0;
        for (int k = 0; k < DIM; k++) rest[row] += rotation[DIM * k + row] * (point[k] - translation[k]);
    }
}

__device__ inline double distance_to_box(const ShapePart &box, const double *point) {
    double inside = -INFINITY, beyond[DIM];
    for (int axis = 0; axis < DIM; axis++) {
        beyond[axis] = fabs(point[axis] - box.place[axis]) - box.way[axis];
        inside = fmax(inside, beyond[axis]);
        beyond[axis] = fmax(beyond[axis], 0.0);
    }
    return length_of(beyond) + fmin(inside, 0.0);
}

__device__ inline double distance_to_capsule(const ShapePart &capsule, const double *point) {
    double along = 0.0, apart[DIM];
    for (int axis = 0; axis < DIM; axis++) along += (point[axis] - capsule.place[axis]) * capsule.way[axis];
    double part = capsule.square > 0.0 ? fmin(fmax(along / capsule.square, 0.0), 1.0) : 0.0;
    for (int axis = 0; axis < DIM; axis++) apart[axis] = point[axis] - capsule.place[axis] - part * capsule.way[axis];
    return length_of(apart) - capsule.size;
}

// A simple shape.
__device__ inline double distance_to_part(const ShapePart &part, const double *point) {
    double rest[DIM], offset[DIM], along = 0.0;
    if (part.is_posed) at_rest(part.rotation, part.translation, point, rest), point = rest;
    switch (part.kind) {
    case ShapeKind::Sphere:
        for (int axis = 0; axis < DIM; axis++) offset[axis] = point[axis] - part.place[axis];
        return length_of(offset) - part.size;
    case ShapeKind::Cuboid: return distance_to_box(part, point);
    case ShapeKind::Capsule: return distance_to_capsule(part, point);
    case ShapeKind::HalfSpace:
        for (int axis = 0; axis < DIM; axis++) along += (point[axis] - part.place[axis]) * part.way[axis];
        return along / part.size;
    default: return part.kind == ShapeKind::Nothing ? INFINITY : -INFINITY;
    }
}

// A shape. The host has seen to it that the distances that wait have room.
__device__ inline double distance_to(const ShapePart *parts, int count, const double *point) {
    double waiting[SHAPE_STACK];
    int top = -1;
    for (int n = 0; n < count; n++) {
        const ShapePart &part = parts[n];
        switch (part.kind) {
        case ShapeKind::Union: top--, waiting[top] = fmin(waiting[top], waiting[top + 1]); break;
        case ShapeKind::Intersection: top--, waiting[top] = fmax(waiting[top], waiting[top + 1]); break;
        case ShapeKind::Complement: waiting[top] = -waiting[top]; break;
        case ShapeKind::Dilation: waiting[top] -= part.size; break;
        default: waiting[++top] = distance_to_part(part, point);
        }
    }
    return waiting[0];
}
