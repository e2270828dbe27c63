// Meshes with fewer triangles, for machines that draw slowly.

const SLOW = 38; // milliseconds per picture: clearly fewer than 30 pictures a second
const QUICK = 14;
const COARSEST = 4;
const WINDOW = 6; // pictures whose median time decides

/** How coarse meshes are drawn: `block` cells along an edge become one. It is 1 while nothing plays. */
export class Detail {
  constructor() {
    this.block = 1;
    this.taken = [];
  }

  /** Notes how long a picture took while a run plays, or that none plays. */
  note(milliseconds, playing) {
    if (!playing) return Object.assign(this, { block: 1, taken: [] });
    this.taken.push(milliseconds);
    if (this.taken.length < WINDOW) return this;
    const middle = this.taken.sort((a, b) => a - b)[WINDOW >> 1];
    this.taken = [];
    if (middle > SLOW) this.block = Math.min(this.block + 1, COARSEST);
    else if (middle < QUICK) this.block = Math.max(this.block - 1, 1);
    return this;
  }
}

/** The mesh with all vertices of a block of cells joined to one. Triangles without area are left out. */
export function coarsen(mesh, cells, block) {
  if (block === 1) return mesh;
  const known = made.get(mesh.triangle) ?? made.set(mesh.triangle, new Map()).get(mesh.triangle);
  if (!known.has(block)) known.set(block, join(mesh, cells, block));
  return { ...mesh, triangle: known.get(block) };
}

const made = new WeakMap(); // triangles → block → fewer triangles

function join({ vertex, triangle }, cells, block) {
  const [across, up, deep] = cells.map((count) => Math.ceil(count / block) + 1);
  const chosen = new Int32Array(across * up * deep).fill(-1);
  const joinedTo = new Uint32Array(vertex.count);
  const scale = cells.map((count) => count / block / 65535);
  for (let index = 0; index < vertex.count; index++) {
    const at = 3 * index;
    const [x, y, z] = [vertex.data[at] * scale[0], vertex.data[at + 1] * scale[1], vertex.data[at + 2] * scale[2]];
    const place = Math.floor(x) + across * (Math.floor(y) + up * Math.floor(z));
    if (chosen[place] < 0) chosen[place] = index;
    joinedTo[index] = chosen[place];
  }
  const kept = new Uint32Array(triangle.data.length);
  let count = 0;
  for (let corner = 0; corner < triangle.data.length; corner += 3) {
    const a = joinedTo[triangle.data[corner]];
    const b = joinedTo[triangle.data[corner + 1]];
    const c = joinedTo[triangle.data[corner + 2]];
    if (a === b || b === c || a === c) continue;
    kept[count++] = a;
    kept[count++] = b;
    kept[count++] = c;
  }
  return { data: kept.subarray(0, count), width: 3, count: count / 3 };
}
