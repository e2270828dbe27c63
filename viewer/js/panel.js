// One run on the stage: its data on a canvas, or its pictures if it left no data.

import { OrbitCamera, PlaneCamera, steer } from "./camera.js";
import { FrameStore, contains, lastOf, nearestBelow } from "./frames.js";
import { openContext } from "./gl.js";
import { PlaneRenderer } from "./plane.js";
import { SpaceRenderer } from "./space.js";

const AHEAD = 10; // frames fetched ahead of the playhead
const BEHIND = 60; // frames by which the picture may lag behind the playhead

export class Panel {
  /** `element` holds a canvas, an img and a message. `redraw` requests a new drawing. */
  constructor(element, redraw) {
    Object.assign(this, { element, redraw, run: null, store: null, shown: null });
    this.canvas = element.querySelector("canvas");
    this.image = element.querySelector("img");
    this.message = element.querySelector(".message");
    this.caption = element.querySelector(".caption");
    this.cameras = { 2: new PlaneCamera(), 3: new OrbitCamera() };
    this.image.addEventListener("error", () => this.say("This picture cannot be read."));
    steer(this.canvas, () => this.camera(), redraw);
    new ResizeObserver(redraw).observe(this.canvas);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.gl = null;
      redraw();
    });
  }

  camera() {
    return this.cameras[this.dimension()];
  }

  dimension() {
    return this.run?.cells?.length ?? 3;
  }

  /** Shows a run, or takes the news of the run that is shown. */
  setRun(run) {
    const isSame = run && this.run?.id === run.id;
    const isRestarted = isSame && this.lastFrame() > lastOf(run.whole ?? []) + 1;
    if (!isSame) this.store = run ? new FrameStore(run.id) : null;
    if (isRestarted) this.store.clear();
    if (!isSame || isRestarted) this.shown = null;
    this.run = run;
    this.element.hidden = !run;
    if (run) this.caption.textContent = nameOf(run);
  }

  /** Whether the run left data, not only pictures. */
  hasData() {
    return this.run && lastOf(this.run.whole ?? []) >= 0;
  }

  /** The frames that can be shown now. */
  ranges() {
    if (!this.run || this.run.problem) return [];
    return this.hasData() ? this.run.whole : this.run.pictures;
  }

  lastFrame() {
    return lastOf(this.ranges());
  }

  /** The frame for a time in seconds. */
  frameAt(time) {
    return nearestBelow(this.ranges(), Math.floor(time / this.run.frame_seconds + 1e-6));
  }

  /** Draws a time in seconds. Returns the number of the frame that is shown, −1 for none. */
  draw(time, options, direction) {
    if (!this.run) return -1;
    if (this.run.problem) return this.say(this.run.problem);
    const number = this.frameAt(time);
    if (number < 0) return this.say("There is no frame yet.");
    this.image.hidden = this.hasData();
    this.canvas.hidden = !this.hasData();
    return this.hasData() ? this.drawData(number, options, direction) : this.drawPicture(number);
  }

  drawPicture(number) {
    const source = `/api/runs/${this.run.id}/picture/${number}`;
    this.say("");
    if (this.image.getAttribute("src") !== source) {
      this.image.src = source;
      this.image.alt = `${nameOf(this.run)}, frame ${number}`;
    }
    return number;
  }

  drawData(number, options, direction) {
    const layers = options.show === "both" ? ["particles", "surface"] : [options.show];
    const { store } = this;
    const scene = store.peek("scene", 0);
    store.want("scene", 0, this.redraw);
    for (let step = 0; step <= AHEAD; step++) {
      const next = number + step * direction;
      if (contains(this.ranges(), next)) layers.forEach((layer) => store.want(layer, next, this.redraw));
    }
    const failure = [...layers.map((layer) => store.failure(layer, number)), store.failure("scene", 0)].find(Boolean);
    if (failure) return this.say(`Frame ${number} cannot be shown: ${failure}.`);
    const near = this.newestReady(layers, number);
    if (scene && near >= 0) {
      this.shown = { number: near, picture: makePicture(scene, layers, layers.map((layer) => store.peek(layer, near))) };
      this.say("");
    }
    if (!this.shown) return this.say("Loading…");
    this.paint(scene ?? this.shown.scene, options);
    return this.shown.number;
  }

  /** The frame if it has been fetched, else the newest one before it that has not been shown yet. */
  newestReady(layers, number) {
    const isReady = (at) => layers.every((layer) => this.store.peek(layer, at));
    if (isReady(number)) return number;
    const passed = this.shown?.number ?? -1;
    for (let at = number - 1; at > Math.max(passed, number - BEHIND); at--) if (isReady(at)) return at;
    return -1;
  }

  paint(scene, options) {
    try {
      this.gl ??= openContext(this.canvas);
    } catch (error) {
      this.say(error.message);
      return;
    }
    if (this.rendererOf !== this.gl || this.rendererFor !== this.dimension()) {
      this.renderer = this.dimension() === 2 ? new PlaneRenderer(this.gl) : new SpaceRenderer(this.gl);
      Object.assign(this, { rendererOf: this.gl, rendererFor: this.dimension() });
    }
    fitToScreen(this.canvas);
    const { fastest, highest } = scene;
    this.renderer.draw(this.shown.picture, this.camera(), { ...options, fastest, highest });
  }

  /** Shows a sentence over the picture. An empty one is hidden. */
  say(sentence) {
    if (this.message.textContent !== sentence) this.message.textContent = sentence;
    this.message.hidden = !sentence;
    return -1;
  }
}

/** What a run is called. */
export function nameOf(run) {
  if (run.problem) return `run ${run.id + 1}`;
  const label = run.label ?? (run.walls ? `${run.walls} walls` : "");
  return label ? `${run.title}, ${label}` : run.title;
}

/** Gives a canvas as many pixels as the screen has there. */
export function fitToScreen(canvas) {
  const scale = Math.min(window.devicePixelRatio || 1, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * scale)));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
}

/** The arrays of the layers by the names that renderers use. */
function makePicture(scene, layers, packs) {
  const picture = { cells: scene.cells };
  layers.forEach((layer, place) => {
    const { arrays } = packs[place];
    const isMesh = arrays.triangle;
    if (layer === "particles") picture.particles = arrays;
    else if (isMesh) picture.mesh = arrays;
    else picture.fields = arrays;
    picture.separated = arrays.separated;
  });
  const all = Object.assign({}, scene.arrays, ...packs.map((pack) => pack.arrays));
  if (all.solid) picture.solid = all.solid;
  if (all.solid_triangle?.count) {
    picture.solid = { vertex: all.solid_vertex, normal: all.solid_normal, triangle: all.solid_triangle };
  }
  return picture;
}
