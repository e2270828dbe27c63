// Where things are. The same text is compiled for the device (DIM 2 and 3) and, in tests, for the host.
//
// Cells are stored in pairs along the first axis: slot s of a row holds cells 2s and 2s + 1, one red
// and one black; all red cells form one array, all black ones another. Rows are dense and begin with a few
// entries that stay zero, on large levels as many as a line of memory holds; a row of zeros lies before the first and behind the last row of a
// plane, a plane of zeros before the first and behind the last plane. So every neighbour of a cell
// exists, and four slots side by side (a group) are read at once.

typedef unsigned char u8;
typedef unsigned long long u64;

#if DIM == 3
#define TILE_Y 4
#define TILE_Z 4
#define GHOST 1
#else
#define TILE_Y 16
#define TILE_Z 1
#define GHOST 0
#endif

#define THREADS 128       // of a block, one group each
#define TILE_SLOTS 32     // a tile is TILE_SLOTS x TILE_Y x TILE_Z slots
#define SMALL_THREADS 512 // of the blocks that work on all small levels, in step with each other
#define SIDES (2 * DIM)

// What a group holds.
#define EMPTY 0
#define PLAIN 1   // inner cells that no choice of pinned rows concerns
#define MIXED 2   // any
#define REGULAR 3 // cells whose couplings are those of inner ones or zero, and stay so

// What a cell is.
#define PRESENT 1
#define WALL 2     // may be pinned: a row at a separating wall, or a coarse cell with such a child
#define PINNED 4   // left out
#define UNSTEADY 8 // pinned rows may change its couplings
#define PARENT_SHIFT 4
#define PARENT_NONE 7
#define HAS_ORPHANS 128 // coarse cells: cells of neighbouring blocks belong to it

struct Level {
    int nx, ny, nz, slots;
    int pitch, plane, size, is_crowded; // crowded: too few tiles for empty ones to be worth a look
    int tiles_x, tiles_y, tiles_z;
    float unit;         // coupling between two inner cells
    int lead, spare;    // entries that stay zero before every row
    float *coupling[3]; // towards the next cell along each axis
    float *excess;      // what holds a cell beside its neighbours: A_ii less all couplings
    float *x, *b;       // of the cycle
    float *residual;    // of red cells, on small levels
    float *start, *load, *floor; // of the nested start; on level 0 of the correction near walls
    u8 *flags, *groups, *tiles, *members;
    u8 *sides;  // of regular groups: which couplings are not zero, a bit for each side
    int *mixed; // how many groups are not plain, then where they are
};

// What the host reads back.
struct Scalars {
    double norm, residual, rho, alpha, beta, plain_norm, free_norm, stretch;
    int changes, is_stopped, is_begun, truncated; // truncated: the changes that the levels know of
    unsigned tickets[4];
    double target, merit, slope, moved;
    int iterations, limit;
    double before;
};

// The fields of a fluid code that a problem is made of: those of walls on the whole grid, all others on windows.
struct Fields {
    double spacing, control;
    int first[3], size[3];               // the window that holds the liquid
    int liquid_first[3], liquid_size[3]; // and that of its distance, a cell wider
    int is_sealed, pad;
    const double *liquid, *open[3], *cell_open, *velocity[3], *flow[3], *divergence, *guess;
    const u8 *separating;
    int *labels; // a cell that each row hangs together with
    u8 *marks;
    double *answer, *totals;
};

// Everything a kernel may need; each uses its part.
struct Args {
    Level level, coarse;
    const Level *levels; // all of them, for the small ones
    int first, last;
    int colour, mode, rows, is_reduced;
    double factor, other, scale;
    double *coupling[3], *excess, *q, *b, *lower; // level 0 in double precision
    float *direction, *image, *product, *iterate; // conjugate gradients on black cells
    double *vectors[10];
    const unsigned *cells;
    const double *values, *more;
    const unsigned *loose;
    u64 *anchors;
    int *near, *touched; // level 0: how many groups are swept at walls, or may hear of it, then where they are
    int *busy;           // level 0: how many tiles are not empty, then which
    double *partials;
    u64 *slots;
    Scalars *scalars;
    const Fields *fields;
};

template <class T> struct Four {
    T v[4];
};

// A group of a row, and whether its red cells are the second ones of their slots.
struct Place {
    int at, slot, y, z, is_odd;
};

__device__ inline int row_of(const Level &level, int y, int z) {
    return ((z + GHOST) * (level.ny + 2) + y + 1) * level.pitch + level.lead;
}

__device__ inline Place place_of(const Level &level, int slot, int y, int z) {
    Place place;
    place.at = row_of(level, y, z) + slot;
    place.slot = slot, place.y = y, place.z = z;
    place.is_odd = (y + z) & 1;
    return place;
}

// Index of the cell at coordinates.
__device__ inline int cell_of(const Level &level, int x, int y, int z) {
    return row_of(level, y, z) + (x >> 1) + (((x ^ y ^ z) & 1) ? level.size : 0);
}

__device__ inline int tiles_of(const Level &level) { return level.tiles_x * level.tiles_y * level.tiles_z; }

// Group t of a tile; false where there is none.
__device__ inline bool locate_in(const Level &level, int tile, int t, Place &place) {
    int slot = (tile % level.tiles_x) * TILE_SLOTS + (t & 7) * 4;
    int rest = tile / level.tiles_x;
    int y = (rest % level.tiles_y) * TILE_Y + (t >> 3) % TILE_Y;
    int z = (rest / level.tiles_y) * TILE_Z + (t >> 3) / TILE_Y;
    if (slot >= level.slots || y >= level.ny || z >= level.nz) return false;
    place = place_of(level, slot, y, z);
    return true;
}

// The group of a thread in a tile; false where there is none.
__device__ inline bool locate(const Level &level, int tile, bool everywhere, Place &place) {
    if (!everywhere && !level.is_crowded && !level.tiles[tile]) return false;
    return locate_in(level, tile, threadIdx.x, place);
}

// Groups of a level one behind the other, for loops over small levels.
__device__ inline int groups_of(const Level &level) { return ((level.slots + 3) / 4) * level.ny * level.nz; }

__device__ inline Place group_at(const Level &level, int group) {
    int along = (level.slots + 3) / 4;
    return place_of(level, 4 * (group % along), group / along % level.ny, group / along / level.ny);
}

#define FOR_TILES(level, place, everywhere)                                                                    \
    Place place;                                                                                               \
    for (int tile_ = blockIdx.x; tile_ < tiles_of(level); tile_ += gridDim.x)                                  \
        if (locate(level, tile_, everywhere, place))

// All groups that are not empty, and their kinds.
#define FOR_KINDS(level, place, kind)                                                                          \
    Place place;                                                                                               \
    for (int tile_ = blockIdx.x; tile_ < tiles_of(level); tile_ += gridDim.x)                                  \
        if (locate(level, tile_, true, place))                                                                 \
            if (int kind = level.groups[place.at >> 2]; kind != EMPTY)

// The group that begins at an entry.
__device__ inline Place place_at(const Level &level, int at) {
    int row = (at - level.lead) / level.pitch;
    return place_of(level, (at - level.lead) % level.pitch, row % (level.ny + 2) - 1, row / (level.ny + 2) - GHOST);
}

// Groups of a list, which begins with their number; in no particular order. Where a group begins is a multiple of
// four: the rest says of which kind it is.
#define FOR_LISTED(level, list, place, kind)                                                                   \
    Place place;                                                                                               \
    int kind;                                                                                                  \
    for (int item_ = blockIdx.x * blockDim.x + threadIdx.x;                                                    \
         item_ < (list)[0] ? (kind = (list)[1 + item_], place = place_at(level, kind & ~3), kind &= 3, true) : false; \
         item_ += gridDim.x * blockDim.x)

// Groups that are not plain.
#define FOR_MIXED(level, place, kind) FOR_LISTED(level, level.mixed, place, kind)

// Threads that share a loop: those of all blocks, or of one.
struct Team {
    int rank, size;
};

__device__ inline Team all_blocks() {
    Team team = {(int)(blockIdx.x * blockDim.x + threadIdx.x), (int)(gridDim.x * blockDim.x)};
    return team;
}

__device__ inline Team one_block() {
    Team team = {(int)threadIdx.x, (int)blockDim.x};
    return team;
}

#define FOR_GROUPS(team, level, place)                                                                         \
    Place place;                                                                                               \
    for (int group_ = team.rank; group_ < groups_of(level) ? (place = group_at(level, group_), true) : false;  \
         group_ += team.size)
