// The sandbox: draw walls, pour liquid, and switch walls between holding and letting go.

import { PlaneCamera } from "./camera.js";
import { openContext } from "./gl.js";
import { PlaneRenderer } from "./plane.js";
import { Simulator } from "./simulator.js";

const CELLS = 96;
const PRESETS = ["Dam", "Ceiling", "Circle", "Maze", "Empty"];
const TOOLS = { pour: "Pour", wall: "Draw wall", erase: "Erase" };
const GRAVITY = 9.81;
const DIRECTIONS = { down: [0, -1], left: [-1, 0], up: [0, 1], right: [1, 0], none: [0, 0] };
const BUDGET = 24; // milliseconds for steps per picture

const MARKUP = `
  <div class="bar">
    <button class="primary" data-id="walls" aria-pressed="true">Walls let go</button>
    <span class="group" role="group" aria-label="Tool">${Object.entries(TOOLS).map(([tool, text]) => `<button data-tool="${tool}" aria-pressed="${tool === "pour"}">${text}</button>`).join("")}</span>
    <label>Start with <select data-id="preset">${PRESETS.map((name, number) => `<option value="${number}">${name}</option>`).join("")}</select></label>
    <button data-id="reset">Reset</button>
    <button data-id="pause" aria-pressed="false">Pause</button>
  </div>
  <div class="sandbox-stage"><canvas tabindex="0" role="application"
    aria-label="Sandbox. Arrow keys move a cursor, Space uses the tool there, P, W and E choose pour, wall and erase, S switches the walls."></canvas></div>
  <p class="sandbox-note" role="status" data-id="note"></p>
  <p class="sandbox-note" data-id="rate"></p>
  <div class="bar">
    <label>Gravity <select data-id="gravity">${Object.keys(DIRECTIONS).map((name) => `<option>${name}</option>`).join("")}</select></label>
    <label>Brush <input type="range" data-id="brush" min="0.01" max="0.08" step="0.005" value="0.025" aria-label="Size of the brush"></label>
    <label>Show <select data-id="show"><option value="both">both</option><option value="surface">surface</option><option value="particles">particles</option></select></label>
    <label>Colour <select data-id="colour"><option value="speed">speed</option><option value="pressure">pressure</option></select></label>
  </div>`;

export class Sandbox {
  /** Fills `parent`. `load` returns the bytes of the simulator. */
  constructor(parent, load) {
    parent.innerHTML = MARKUP;
    this.parts = Object.fromEntries([...parent.querySelectorAll("[data-id]")].map((element) => [element.dataset.id, element]));
    this.tools = [...parent.querySelectorAll("[data-tool]")];
    this.canvas = parent.querySelector("canvas");
    Object.assign(this, { load, tool: "pour", separating: true, running: false, paused: false, steps: 0, cursor: [0.5, 0.5], held: null });
    this.camera = new PlaneCamera();
    this.listen();
  }

  /** Loads the simulator if necessary and continues. */
  async resume() {
    this.running = true;
    if (this.isLoading) return;
    if (!this.simulator) {
      this.isLoading = true;
      this.say("Loading the simulator…");
      try {
        this.renderer = new PlaneRenderer(openContext(this.canvas));
        this.simulator = await Simulator.load(await this.load());
        this.reset();
      } catch (error) {
        this.simulator = null;
        return this.say(`The sandbox cannot start: ${error.message}`);
      } finally {
        this.isLoading = false;
      }
    }
    this.tick();
  }

  pause() {
    this.running = false;
  }

  reset() {
    const { simulator, parts } = this;
    simulator.begin(CELLS, Number(parts.preset.value));
    simulator.calls.set_separating(this.separating);
    this.applyGravity();
    this.explain();
  }

  explain() {
    this.say(this.separating ? "Walls push and never pull: the liquid lets go of them." : "Walls hold on, as in most simulations: the liquid clings to them.");
  }

  say(sentence) {
    this.parts.note.textContent = sentence;
  }

  /** Takes steps, draws, and schedules itself for the next picture of the screen. */
  tick() {
    if (!this.running || this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame((now) => {
      this.isScheduled = false;
      if (!this.running || !this.simulator) return;
      try {
        if (!this.paused) this.stepFor(now);
        this.draw();
      } catch (error) {
        this.say(`Stopped: ${error.message}. Reset starts again.`);
        this.simulator = null;
        return;
      }
      this.tick();
    });
  }

  /** Simulates the time since the last picture, as far as the budget allows. */
  stepFor(now) {
    const begun = performance.now();
    let left = Math.min((now - (this.before ?? now)) / 1000, 1 / 20);
    this.before = now;
    while (left > 1e-4 && performance.now() - begun < BUDGET) {
      const dt = this.simulator.advance(left);
      if (!(dt > 0)) break;
      left -= dt;
      this.steps += 1;
      this.worked = (this.worked ?? 0) + 1;
    }
    this.spent = (this.spent ?? 0) + performance.now() - begun;
    if (this.spent > 500) {
      this.stepsPerSecond = (1000 * this.worked) / this.spent;
      this.parts.rate.textContent = `${CELLS} × ${CELLS} cells, ${Math.round(this.stepsPerSecond)} steps/s`;
      [this.spent, this.worked] = [0, 0];
    }
  }

  draw() {
    const { canvas, parts } = this;
    const size = Math.max(1, Math.round(canvas.clientWidth * Math.min(window.devicePixelRatio || 1, 2)));
    if (canvas.width !== size) Object.assign(canvas, { width: size, height: size });
    const { calls } = this.simulator;
    const picture = { ...this.simulator.picture(), tint: this.separating ? [0.33, 0.36, 0.4] : [0.5, 0.33, 0.2] };
    this.renderer.draw(picture, this.camera, {
      show: parts.show.value, colour: parts.colour.value, separated: true, solids: true,
      fastest: calls.brightest(false), highest: calls.brightest(true),
    });
  }

  applyGravity() {
    const [x, y] = DIRECTIONS[this.parts.gravity.value];
    this.simulator?.calls.set_gravity(GRAVITY * x, GRAVITY * y);
  }

  setSeparating(separating) {
    this.separating = separating;
    this.parts.walls.setAttribute("aria-pressed", separating);
    this.parts.walls.textContent = separating ? "Walls let go" : "Walls hold on";
    this.simulator?.calls.set_separating(separating);
    this.explain();
  }

  choose(tool) {
    this.tool = tool;
    this.tools.forEach((button) => button.setAttribute("aria-pressed", button.dataset.tool === tool));
  }

  /** Uses the tool along a line. */
  use(from, to) {
    const { calls } = this.simulator ?? {};
    if (!calls) return;
    const radius = Number(this.parts.brush.value);
    const [gx, gy] = DIRECTIONS[this.parts.gravity.value];
    if (this.tool === "pour") calls.pour(...to, Math.max(radius, 0.02), gx, gy);
    else {
      calls.paint(...from, ...to, radius, this.tool === "wall");
      if (this.tool === "erase") calls.drain(...to, radius);
    }
  }

  release() {
    this.held = null;
    this.simulator?.calls.stop_pouring();
  }

  listen() {
    const { canvas, parts } = this;
    const place = (event) => {
      const { left, top, width, height } = canvas.getBoundingClientRect();
      const inDomain = (part) => (part - 0.5) / 0.98 + 0.5; // the camera leaves a margin
      return [inDomain((event.clientX - left) / width), inDomain(1 - (event.clientY - top) / height)];
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.held = place(event);
      this.use(this.held, this.held);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.held) return;
      const to = place(event);
      this.use(this.held, to);
      this.held = to;
    });
    for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, () => this.release());
    canvas.addEventListener("keydown", (event) => this.onKey(event));
    canvas.addEventListener("keyup", (event) => event.key === " " && this.release());
    this.tools.forEach((button) => button.addEventListener("click", () => this.choose(button.dataset.tool)));
    parts.walls.addEventListener("click", () => this.setSeparating(!this.separating));
    parts.gravity.addEventListener("change", () => this.applyGravity());
    parts.preset.addEventListener("change", () => this.begin());
    parts.reset.addEventListener("click", () => this.begin());
    parts.pause.addEventListener("click", () => {
      this.paused = !this.paused;
      parts.pause.setAttribute("aria-pressed", this.paused);
    });
  }

  /** Starts again, also after an error. */
  begin() {
    if (this.simulator) this.reset();
    else this.resume();
  }

  onKey(event) {
    const steps = { ArrowLeft: [-0.02, 0], ArrowRight: [0.02, 0], ArrowUp: [0, 0.02], ArrowDown: [0, -0.02] };
    const tools = { p: "pour", w: "wall", e: "erase" };
    const before = this.cursor;
    if (steps[event.key]) {
      this.cursor = before.map((value, axis) => Math.min(Math.max(value + steps[event.key][axis], 0), 1));
      this.say(`Cursor at ${this.cursor.map((value) => Math.round(100 * value)).join(", ")} of 100`);
      if (this.held) this.use(before, this.cursor);
    } else if (event.key === " ") {
      this.held = this.cursor;
      this.use(this.cursor, this.cursor);
    } else if (tools[event.key]) this.choose(tools[event.key]);
    else if (event.key === "s") this.setSeparating(!this.separating);
    else return;
    event.preventDefault();
  }
}
