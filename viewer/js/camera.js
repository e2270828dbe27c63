// Cameras. Mouse, fingers and keys turn and move them. Panels may share one.

import { clamp, cross, lookAt, multiply, normalise, perspective, subtract } from "./math.js";

const FIELD_OF_VIEW = 0.7;

/** Looks at a plane from the front. */
export class PlaneCamera {
  constructor() {
    this.reset();
  }

  reset() {
    Object.assign(this, { x: 0, y: 0, zoom: 1 });
  }

  /** Scale and shift from fractions of the domain to the screen. */
  view(cells, width, height) {
    const fit = 0.98 * this.zoom * Math.min(width / cells[0], height / cells[1]);
    const [across, up] = [(2 * fit * cells[0]) / width, (2 * fit * cells[1]) / height];
    return [across, up, -across / 2 + this.x * across, -up / 2 + this.y * up];
  }

  /** Drags by fractions of the screen. */
  drag(across, up) {
    this.x += across / this.zoom;
    this.y += up / this.zoom;
  }

  move(across, up) {
    this.drag(across, up);
  }

  scale(factor) {
    this.zoom = clamp(this.zoom * factor, 0.5, 40);
  }
}

/** Orbits around the domain. */
export class OrbitCamera {
  constructor() {
    this.reset();
  }

  reset() {
    Object.assign(this, { yaw: 0.6, pitch: 0.35, distance: 2.6, target: [0, 0, 0] });
  }

  eye() {
    const { yaw, pitch, distance, target } = this;
    const out = [Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch), Math.cos(pitch) * Math.cos(yaw)];
    return out.map((value, axis) => target[axis] + distance * value);
  }

  /** The matrix to the screen, the position of the eye, and the pixels per unit of length at distance 1. */
  perspective(size, width, height) {
    const eye = this.eye();
    const narrow = Math.min(1, width / height);
    const angle = 2 * Math.atan(Math.tan(FIELD_OF_VIEW / 2) / narrow);
    const matrix = multiply(perspective(angle, width / height, 0.02, 20), lookAt(eye, this.target));
    return { matrix, eye, pixelsPerUnit: height / (2 * Math.tan(angle / 2)) };
  }

  drag(across, up) {
    this.yaw -= 4 * across;
    this.pitch = clamp(this.pitch - 4 * up, -1.5, 1.5);
  }

  move(across, up) {
    const back = normalise(subtract(this.eye(), this.target));
    const right = normalise(cross([0, 1, 0], back));
    const above = cross(back, right);
    const step = this.distance * 0.75;
    this.target = this.target.map((value, axis) => value - step * (across * right[axis] + up * above[axis]));
  }

  scale(factor) {
    this.distance = clamp(this.distance / factor, 0.2, 12);
  }
}

/** Lets the user turn the camera that `camera()` returns. Calls `changed` after every change. */
export function steer(canvas, camera, changed) {
  const pointers = new Map();
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { size: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = pointers.size === 2 ? spread() : pointers.get(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const after = pointers.size === 2 ? spread() : pointers.get(event.pointerId);
    const { width, height } = canvas.getBoundingClientRect();
    const [across, up] = [(after.x - before.x) / width, -(after.y - before.y) / height];
    if (pointers.size === 2) {
      camera().scale(after.size / Math.max(before.size, 1));
      camera().move(across, up);
    } else if (event.shiftKey || event.buttons & 6) camera().move(across, up);
    else camera().drag(across, up);
    changed();
  });
  for (const type of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(type, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera().scale(Math.exp(-0.0015 * event.deltaY));
    changed();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [-0.04, 0], ArrowRight: [0.04, 0], ArrowUp: [0, 0.04], ArrowDown: [0, -0.04] };
    if (steps[event.key]) event.shiftKey ? camera().move(...steps[event.key]) : camera().drag(...steps[event.key]);
    else if (event.key === "+" || event.key === "=") camera().scale(1.15);
    else if (event.key === "-") camera().scale(1 / 1.15);
    else if (event.key === "0") camera().reset();
    else return;
    event.preventDefault();
    event.stopPropagation();
    changed();
  });
}
