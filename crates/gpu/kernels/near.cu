// The cells near walls, where a policy is made: a correction c of q in single precision, swept and chosen before it
// is added to q. Its residual r = A c - b is that of q + c, in units of the loads. Elsewhere c is zero and stays so.

// Forgets the last correction, and says how far wall cells may sink.
KERNEL(begin_near) {
    const Level &level = a.level;
    FOR_LISTED(level, a.near, place, kind) {
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * level.size + place.at;
            store4(level.start + own, {0.0f, 0.0f, 0.0f, 0.0f});
            unsigned flags = kind == PLAIN ? 0 : flags4(level.flags + own);
            for (int k = 0; k < 4; k++)
                if (flag(flags, k) & WALL) level.floor[own + k] = (float)((a.lower[own + k] - a.q[own + k]) / a.scale);
        }
    }
}

// c_i <- max(c_i - relaxation r_i / A_ii, floor_i) on the cells of a colour.
LEAN_KERNEL(relax_near, 10) {
    const Level &level = a.level;
    float relaxation = (float)a.factor;
    FOR_LISTED(level, a.near, place, kind) {
        int own = a.colour * level.size + place.at;
        unsigned flags = flags4(level.flags + own);
        Four<float> c = load4(level.start + own), b = load4(level.b + own);
        Rows<float> rows = rows_of(level, cycle_system(level), (const float *)level.start, kind, a.colour, place.at,
                                   second(place, a.colour));
        for (int k = 0; k < 4; k++) {
            if (!(rows.diagonal.v[k] > 0.0f)) continue;
            c.v[k] += relaxation * ((b.v[k] + rows.sum.v[k]) / rows.diagonal.v[k] - c.v[k]);
            if (flag(flags, k) & WALL) c.v[k] = fmaxf(c.v[k], level.floor[own + k]);
        }
        store4(level.start + own, c);
    }
}

// Pins every wall row whose bound is the binding condition, A_ii (c_i - floor_i) <= r_i, and frees all others
// [Lai2021, eq. (5.7)].
LEAN_KERNEL(choose_near, 10) {
    const Level &level = a.level;
    int changes = 0;
    {
        FOR_MIXED(level, place, kind) {
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                unsigned flags = flags4(level.flags + own);
                if (!(flags & WALL * 0x01010101u)) continue;
                Rows<float> rows = rows_of(level, cycle_system(level), (const float *)level.start, kind, colour, place.at,
                                           second(place, colour));
                for (int k = 0; k < 4; k++) {
                    unsigned f = flag(flags, k);
                    if (!(f & WALL) || !(rows.diagonal.v[k] > 0.0f)) continue;
                    // A_ii (c_i - floor_i) - r_i, in which c_i cancels.
                    float slack = rows.sum.v[k] + level.b[own + k] - rows.diagonal.v[k] * level.floor[own + k];
                    unsigned pinned = slack <= 0.0f ? PINNED : 0;
                    changes += (f & PINNED) != pinned;
                    level.flags[own + k] = (u8)((f & ~PINNED) | pinned);
                }
            }
        }
    }
    if (changes) atomicAdd(&a.scalars->changes, changes);
}

// Pinned cells move to their bound.
KERNEL(settle_near) {
    const Level &level = a.level;
    FOR_MIXED(level, place, kind) {
        for (int colour = 0; colour < 2; colour++) {
            int own = colour * level.size + place.at;
            unsigned flags = flags4(level.flags + own);
            for (int k = 0; k < 4; k++)
                if (flag(flags, k) & PINNED) level.start[own + k] = level.floor[own + k];
        }
    }
}

// q <- q + c, and the load of the policy: b <- b - A c on free cells, zero on pinned ones.
LEAN_BARRIER_KERNEL(accept_near, 8) {
    const Level &level = a.level;
    float most = 0.0f;
    {
        FOR_LISTED(level, a.touched, place, kind) {
            for (int colour = 0; colour < 2; colour++) {
                int own = colour * level.size + place.at;
                unsigned flags = kind == PLAIN ? 0 : flags4(level.flags + own);
                Rows<float> rows = rows_of(level, cycle_system(level), (const float *)level.start, kind, colour, place.at,
                                           second(place, colour));
                Four<float> c = load4(level.start + own), b = load4(level.b + own);
                Four<double> q = load4(a.q + own);
                for (int k = 0; k < 4; k++) {
                    unsigned f = flag(flags, k);
                    bool is_free = kind == PLAIN || (f & (PRESENT | PINNED)) == PRESENT;
                    b.v[k] = is_free ? b.v[k] - (rows.diagonal.v[k] * c.v[k] - rows.sum.v[k]) : 0.0f;
                    most = larger(most, fabsf(b.v[k]));
                    q.v[k] = f & PINNED ? a.lower[own + k] : q.v[k] + a.scale * c.v[k];
                    // What was rounded must not be below the bound.
                    if ((f & WALL) && q.v[k] < a.lower[own + k]) q.v[k] = a.lower[own + k];
                }
                store4(level.b + own, b);
                store4(a.q + own, q);
            }
        }
    }
    double norm;
    if (reduce_max(a, most, norm)) a.scalars->free_norm = larger(norm, a.scalars->plain_norm);
}

