// Vectors, and 4 × 4 matrices by columns as WebGL takes them.

export function multiply(a, b) {
  const product = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      product[4 * column + row] = sum;
    }
  }
  return product;
}

export function perspective(fieldOfView, aspect, near, far) {
  const scale = 1 / Math.tan(fieldOfView / 2);
  const depth = 1 / (near - far);
  return new Float32Array([
    scale / aspect, 0, 0, 0,
    0, scale, 0, 0,
    0, 0, (near + far) * depth, -1,
    0, 0, 2 * near * far * depth, 0,
  ]);
}

/** Looks from `eye` at `target`, y upwards. */
export function lookAt(eye, target) {
  const back = normalise(subtract(eye, target));
  const right = normalise(cross([0, 1, 0], back));
  const up = cross(back, right);
  return new Float32Array([
    right[0], up[0], back[0], 0,
    right[1], up[1], back[1], 0,
    right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ]);
}

export const subtract = (a, b) => a.map((value, axis) => value - b[axis]);
export const dot = (a, b) => a.reduce((sum, value, axis) => sum + value * b[axis], 0);
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export function normalise(vector) {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
