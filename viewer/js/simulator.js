// The simulator of crates/sandbox, compiled to WebAssembly: the other side of its abi.rs.

const NAMES = ["position", "particle_speed", "particle_pressure", "liquid", "speed", "pressure", "solid", "separated"];
const MESSAGE = NAMES.length;

export class Simulator {
  /** From the bytes of the module. */
  static async load(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Simulator(instance.exports);
  }

  constructor(exports) {
    this.calls = exports;
  }

  /** Begins anew; throws an Error if that cannot be done. */
  begin(cells, preset) {
    this.cells = cells;
    if (!this.calls.begin(cells, preset)) throw new Error(this.message());
  }

  /** One step; its length in seconds. A simulator that has met an error says so in `message`. */
  advance(seconds) {
    try {
      return this.calls.advance(seconds);
    } catch {
      throw new Error(this.message() || "the simulator has ended");
    }
  }

  message() {
    return new TextDecoder().decode(this.bytes(MESSAGE));
  }

  /** What there is to see now, as renderers of the plane take it. */
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

  /** An array where it lies; another call may move it. */
  bytes(number) {
    return new Uint8Array(this.calls.memory.buffer, this.calls.array_at(number), this.calls.array_length(number));
  }
}
