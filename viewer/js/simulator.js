// The simulator of crates/sandbox, compiled to WebAssembly. Its functions are those of abi.rs.

const NAMES = ["position", "particle_speed", "particle_pressure", "liquid", "speed", "pressure", "solid", "separated"];
const MESSAGE = NAMES.length;

export class Simulator {
  /** Loads the module from its bytes. */
  static async load(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Simulator(instance.exports);
  }

  constructor(exports) {
    this.calls = exports;
  }

  /** Starts a new simulation. Throws an Error if it cannot start. */
  begin(cells, preset) {
    this.cells = cells;
    if (!this.calls.begin(cells, preset)) throw new Error(this.message());
  }

  /** Takes one step and returns its length in seconds. Throws an Error if the simulator failed. */
  advance(seconds) {
    try {
      return this.calls.advance(seconds);
    } catch {
      throw new Error(this.message() || "the simulator has failed");
    }
  }

  message() {
    return new TextDecoder().decode(this.bytes(MESSAGE));
  }

  /** The state as the renderer of the plane takes it. */
  picture() {
    this.calls.show();
    const arrays = Object.fromEntries(NAMES.map((name, number) => [name, this.bytes(number).slice()]));
    const words = (bytes) => new Uint16Array(bytes.buffer);
    const levels = (data, isPressure) => ({ data, lower: [0], step: [this.calls.brightest(isPressure) / 255] });
    return {
      cells: [this.cells, this.cells],
      particles: {
        position: { data: words(arrays.position), count: arrays.position.length / 4 },
        speed: levels(arrays.particle_speed, false),
        pressure: levels(arrays.particle_pressure, true),
      },
      fields: { liquid: { data: arrays.liquid }, speed: levels(arrays.speed, false), pressure: levels(arrays.pressure, true) },
      solid: { data: arrays.solid },
      separated: { data: words(arrays.separated), count: arrays.separated.length / 4 },
    };
  }

  /** An array in the simulator's memory. The next call may move it. */
  bytes(number) {
    return new Uint8Array(this.calls.memory.buffer, this.calls.array_at(number), this.calls.array_length(number));
  }
}
