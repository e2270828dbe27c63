// Plots of the statistics, with a line at the playhead and the values there in words.

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [320, 120, 46, 16];
const PER_CENT = (columns) => columns.volume.map((value) => (100 * value) / columns.volume[0]);
const TOTAL = (columns) => columns.kinetic_energy.map((value, step) => value + columns.potential_energy[step]);
const column = (name, title = name) => ({ title, needs: [name], values: (columns) => columns[name] });
const milliseconds = (stage) => ({ title: stage, needs: [`seconds_${stage}`], values: (columns) => columns[`seconds_${stage}`].map((value) => 1000 * value) });

/** What is plotted: a title, a unit and curves. A curve is left out where no run has the columns it needs. */
const PLOTS = [
  { id: "volume", title: "Volume", unit: "% of the first", spans: [98, 102], curves: [{ title: "volume", needs: ["volume"], values: PER_CENT }] },
  { id: "energy", title: "Energy", unit: "J", curves: [column("kinetic_energy", "kinetic"), column("potential_energy", "potential"), { title: "total", needs: ["kinetic_energy", "potential_energy"], values: TOTAL }] },
  { id: "speed", title: "Largest speed", unit: "m/s", curves: [column("fastest_liquid", "liquid, along an axis"), column("fastest_body", "bodies")] },
  { id: "cycles", title: "Solver", unit: "", curves: [column("cycles"), column("inner_iterations", "inner iterations"), column("viscous_iterations", "viscous iterations"), column("pressure_iterations", "pressure iterations")] },
  { id: "stages", title: "Time per step", unit: "ms", clips: true, curves: ["gather", "surface", "pressure", "extrapolate", "scatter", "move", "flow", "marking", "forces", "contact"].map(milliseconds) },
];

export class Plots {
  constructor(parent) {
    this.plots = PLOTS.map((plot) => new Plot(parent, plot));
  }

  /** Draws the curves of tables [{ label, columns }], up to a moment. */
  setTables(tables, end) {
    for (const plot of this.plots) plot.setTables(tables, end);
  }

  setTime(time) {
    for (const plot of this.plots) plot.setTime(time);
  }
}

class Plot {
  constructor(parent, { id, title, unit, clips, spans = [0, 0], curves }) {
    Object.assign(this, { all: curves, curves, clips, spans, series: [], cells: [], end: 1, low: 0, high: 1 });
    const figure = (this.figure = parent.appendChild(document.createElement("figure")));
    figure.className = "plot";
    figure.id = `plot-${id}`;
    const caption = figure.appendChild(document.createElement("figcaption"));
    caption.append(Object.assign(document.createElement("strong"), { textContent: unit ? `${title} (${unit})` : title }));
    this.svg = make(figure, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title} over time` });
    this.area = make(this.svg, "g", {});
    this.head = make(this.svg, "line", { class: "playhead", y1: 2, y2: HEIGHT - BOTTOM });
    this.values = figure.appendChild(document.createElement("table"));
    this.values.className = "values";
  }

  setTables(tables, end) {
    this.end = Math.max(end, 1e-9);
    this.curves = this.all.filter(({ needs }) => tables.some(({ columns }) => has(columns, needs)));
    this.figure.hidden = !this.curves.length;
    this.series = tables.flatMap(({ columns }, table) =>
      this.curves.map((curve, place) => {
        const values = has(columns, curve.needs) ? curve.values(columns) : [];
        return { place, table, times: columns.time, values };
      }),
    );
    this.layValues(tables.map(({ label }) => label));
    const all = this.series.flatMap(({ values }) => (this.clips ? [1.5 * quantile(values, 0.98)] : extremes(values)));
    const [low, high] = [Math.min(this.spans[0], ...all), Math.max(this.spans[1], ...all) || 1];
    Object.assign(this, { low, high });
    this.area.replaceChildren();
    for (const part of [0, 0.5, 1]) {
      const y = this.y(low + part * (high - low));
      make(this.area, "line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y, y2: y });
      make(this.area, "text", { x: LEFT - 4, y: y + 3, class: "tick", "text-anchor": "end" }).textContent = short(low + part * (high - low));
    }
    for (const part of [0, 0.5, 1]) {
      make(this.area, "text", { x: this.x(part * this.end), y: HEIGHT - 3, class: "tick", "text-anchor": part ? (part === 1 ? "end" : "middle") : "start" }).textContent = `${short(part * this.end)} s`;
    }
    for (const { times, values, place, table } of this.series) {
      if (values.length) make(this.area, "path", { class: `c${place % 6} t${table}`, d: this.path(times, values) });
    }
  }

  /** A row per curve, a column per run. */
  layValues(labels) {
    const cell = (row, name, textContent, className = "") => row.appendChild(Object.assign(document.createElement(name), { textContent, className }));
    this.values.replaceChildren();
    if (labels.some(Boolean)) {
      const head = this.values.createTHead().insertRow();
      cell(head, "td", "");
      labels.forEach((label) => (cell(head, "th", label).scope = "col"));
    }
    const body = this.values.createTBody();
    this.cells = [];
    this.curves.forEach(({ title }, place) => {
      const row = body.insertRow();
      cell(row, "th", title, `key c${place % 6}`).scope = "row";
      labels.forEach((_, table) => (this.cells[table * this.curves.length + place] = cell(row, "td", "")));
    });
  }

  setTime(time) {
    const x = this.x(Math.min(time, this.end));
    this.head.setAttribute("x1", x);
    this.head.setAttribute("x2", x);
    this.series.forEach(({ times, values }, number) => {
      const text = values.length ? short(values[indexAt(times, time)]) : "";
      if (this.cells[number].textContent !== text) this.cells[number].textContent = text;
    });
  }

  x(time) {
    return LEFT + (time / this.end) * (WIDTH - LEFT - 2);
  }

  y(value) {
    return 4 + (1 - (Math.min(value, this.high) - this.low) / (this.high - this.low)) * (HEIGHT - BOTTOM - 8);
  }

  /** At most two points per pixel: the least and the largest value there. */
  path(times, values) {
    const bin = Math.max(1, Math.ceil(values.length / WIDTH));
    const points = [];
    for (let start = 0; start < values.length; start += bin) {
      const [least, largest] = extremes(values.slice(start, start + bin));
      const x = this.x(times[start]).toFixed(1);
      points.push(`${x} ${this.y(least).toFixed(1)}`);
      if (bin > 1) points.push(`${x} ${this.y(largest).toFixed(1)}`);
    }
    return `M${points.join("L")}`;
  }
}

/** Whether a table has these columns, with a time for each value. */
function has(columns, names) {
  return ["time", ...names].every((name) => columns[name]?.length);
}

/** The last step that has begun by a time. */
function indexAt(times, time) {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}

function extremes(values) {
  let [least, largest] = [Infinity, -Infinity];
  for (const value of values) if (Number.isFinite(value)) [least, largest] = [Math.min(least, value), Math.max(largest, value)];
  return least <= largest ? [least, largest] : [0, 0];
}

/** The value that a part of all stays below: a step that the machine was busy elsewhere in says nothing. */
function quantile(values, part) {
  return [...values].sort((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? 0;
}

/** Three digits. */
export function short(value) {
  if (value === 0 || !Number.isFinite(value)) return "0";
  const size = Math.abs(value);
  if (size >= 1000 && size < 1e5) return String(Math.round(value));
  return size >= 1e5 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

function make(parent, name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return parent.appendChild(element);
}
