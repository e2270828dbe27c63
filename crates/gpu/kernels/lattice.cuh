// How cells lie in memory, and loops over them. The same text is compiled for the device, with DIM 2 and 3, and in
// tests for the host. Constants, modes and structures come before it; src/layout defines them.
//
// Cells are stored in pairs along the first axis. Slot s of a row holds cells 2s and 2s + 1, one red and one black.
// All red cells form one array, all black ones another. Rows are dense. A few entries before each row stay zero; on
// large levels they fill a line of memory. Each plane has a row of zeros before its first and behind its last row.
// A plane of zeros lies before the first and behind the last plane. So every neighbour of a cell exists, and four
// slots side by side (a group) are read at once.

typedef unsigned char u8;
typedef unsigned long long u64;

#define SIDES (2 * DIM)
#define WARP 32 // threads that run in step and can exchange numbers

// What a group holds. A kind fits into two bits.
#define EMPTY 0
#define PLAIN 1   // inner cells that no choice of pinned rows affects
#define MIXED 2   // any cells
#define REGULAR 3 // cells whose couplings are zero or those of inner cells, and stay so

// What a cell is.
#define PRESENT 1
#define WALL 2     // it may be pinned: a row at a separating wall, or a coarse cell with such a child
#define PINNED 4   // it is left out
#define UNSTEADY 8 // pinned rows may change its couplings
#define PARENT_SHIFT 4
#define PARENT_NONE 7
#define HAS_ORPHANS 128 // a coarse cell to which cells of neighbouring blocks belong

#define FOUR_WALLS (WALL * 0x01010101u)

template <class T> struct Four {
    T v[4];
};

// A group: its first entry, its coordinates, and whether its red cells are the second ones of their slots.
struct Group {
    int at, slot, y, z, is_odd;
};

// Whether the cells of a colour are the second ones of their slots.
__device__ inline bool holds_second(const Group &group, int colour) { return colour != group.is_odd; }

__device__ inline int row_of(const DeviceLevel &level, int y, int z) {
    return ((z + GHOST) * (level.cells[1] + 2) + y + 1) * level.pitch + level.lead;
}

__device__ inline Group group_of(const DeviceLevel &level, int slot, int y, int z) {
    Group group;
    group.at = row_of(level, y, z) + slot;
    group.slot = slot, group.y = y, group.z = z;
    group.is_odd = (y + z) & 1;
    return group;
}

// Index of the cell at coordinates.
__device__ inline int cell_of(const DeviceLevel &level, int x, int y, int z) {
    return row_of(level, y, z) + (x >> 1) + (((x ^ y ^ z) & 1) ? level.size : 0);
}

__device__ inline int tile_count(const DeviceLevel &level) { return level.tiles[0] * level.tiles[1] * level.tiles[2]; }

// Group t of a tile; false if there is none.
__device__ inline bool locate_in(const DeviceLevel &level, int tile, int t, Group &group) {
    int slot = (tile % level.tiles[0]) * TILE_SLOTS + (t & 7) * 4;
    int rest = tile / level.tiles[0];
    int y = (rest % level.tiles[1]) * TILE_Y + (t >> 3) % TILE_Y;
    int z = (rest / level.tiles[1]) * TILE_Z + (t >> 3) / TILE_Y;
    if (slot >= level.slots || y >= level.cells[1] || z >= level.cells[2]) return false;
    group = group_of(level, slot, y, z);
    return true;
}

// The group of this thread in a tile; false if there is none, or if the tile is empty and not asked for.
__device__ inline bool locate(const DeviceLevel &level, int tile, bool everywhere, Group &group) {
    if (!everywhere && !level.is_crowded && !level.tile_marks[tile]) return false;
    return locate_in(level, tile, threadIdx.x, group);
}

// The groups of a level in order, for loops over small levels.
__device__ inline int group_count(const DeviceLevel &level) {
    return level.row_groups * level.cells[1] * level.cells[2];
}

__device__ inline Group nth_group(const DeviceLevel &level, int index) {
    int row = index / level.row_groups;
    return group_of(level, 4 * (index % level.row_groups), row % level.cells[1], row / level.cells[1]);
}

// The group that begins at an entry.
__device__ inline Group group_starting_at(const DeviceLevel &level, int at) {
    int row = (at - level.lead) / level.pitch, rows = level.cells[1] + 2;
    return group_of(level, (at - level.lead) % level.pitch, row % rows - 1, row / rows - GHOST);
}

// The groups of this thread, by tiles.
#define FOR_TILES(level, group, everywhere)                                                                    \
    if (Group group; true)                                                                                     \
        for (int tile_ = blockIdx.x; tile_ < tile_count(level); tile_ += gridDim.x)                            \
            if (locate(level, tile_, everywhere, group))

// Those that are not empty, with their kinds.
#define FOR_KINDS(level, group, kind)                                                                          \
    FOR_TILES(level, group, true)                                                                              \
        if (int kind = level.kinds[group.at >> 2]; kind != EMPTY)

// The two colours of a group, with the entry of its first cell.
#define FOR_COLOURS(level, group, colour, own)                                                                 \
    for (int colour = 0; colour < 2; colour++)                                                                 \
        if (int own = colour * level.size + group.at; true)

// The groups of a list, in no particular order. The list begins with their number. An item is the first entry of a
// group, a multiple of four, plus the kind of the group.
#define FOR_LISTED(level, list, group, kind)                                                                   \
    if (Group group; true)                                                                                     \
        if (int kind; true)                                                                                    \
            for (int item_ = blockIdx.x * blockDim.x + threadIdx.x;                                            \
                 item_ < (list)[0] && (kind = (list)[1 + item_],                                               \
                                       group = group_starting_at(level, kind & ~3), kind &= 3, true);          \
                 item_ += gridDim.x * blockDim.x)

// The groups that are not plain.
#define FOR_MIXED(level, group, kind) FOR_LISTED(level, level.mixed, group, kind)

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

#define FOR_GROUPS(team, level, group)                                                                         \
    if (Group group; true)                                                                                     \
        for (int group_ = team.rank; group_ < group_count(level) && (group = nth_group(level, group_), true);  \
             group_ += team.size)
