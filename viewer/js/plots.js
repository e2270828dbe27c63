// Plots of the statistics, with a line at the playhead and a table of the values there.

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM] = [320, 120, 46, 16];

/** The sum of columns, row by row. */
const sum = (...columns) => columns[0].map((_, row) => columns.reduce((total, column) => total + column[row], 0));

/** A curve: its name, the columns it is made of, and how. */
const curve = (name, columns, values = (column) => column) => ({ name, columns, values });

/**
 * What is plotted. Runs of liquids and of viscous flows have different columns. A curve is drawn where the table of a
 * run has its columns, and a plot is shown if it has a curve.
 */
const PLOTS = [
  { id: "volume", title: "Volume", unit: "% of the first", spans: [98, 102], curves: [
    curve("volume", ["volume"], (volume) => volume.map((value) => (100 * value) / volume[0])),
  ] },
  { id: "energy", title: "Energy", unit: "J", curves: [
    curve("kinetic", ["kinetic_energy"]),
    curve("potential", ["potential_energy"]),
    curve("total", ["kinetic_energy", "potential_energy"], sum),
  ] },
  { id: "speed", title: "Largest speed", unit: "m/s", curves: [
    curve("liquid", ["fastest_liquid"]),
    curve("bodies", ["fastest_body"]),
  ] },
  { id: "cycles", title: "Solver", unit: "", curves: [
    curve("cycles", ["cycles"]),
    curve("inner iterations", ["inner_iterations"]),
    curve("pressure iterations", ["pressure_iterations"]),
    curve("viscous iterations", ["viscous_iterations"]),
    curve("contact iterations", ["contact_iterations"]),
  ] },
  { id: "stages", title: "Time per step", unit: "ms", clips: true, curves: (columns) =>
    Object.keys(columns).filter((name) => name.startsWith("seconds_")).map((name) =>
      curve(name.slice("seconds_".length), [name], (seconds) => seconds.map((value) => 1000 * value))) },
];

/** The curves of a plot that at least one of the tables has. */
function curvesOf(curves, tables) {
  const all = typeof curves === "function" ? tables.flatMap(({ columns }) => curves(columns)) : curves;
  const names = new Set();
  return all.filter(({ name, columns }) =>
    tables.some((table) => columns.every((column) => table.columns[column])) && !names.has(name) && names.add(name));
}

export class Plots {
  constructor(parent) {
    this.plots = PLOTS.map((plot) => new Plot(parent, plot));
  }

  /** Draws the curves of tables [{ label, columns }] up to a time in seconds. */
  setTables(tables, end) {
    for (const plot of this.plots) plot.setTables(tables, end);
  }

  setTime(time) {
    for (const plot of this.plots) plot.setTime(time);
  }
}

class Plot {
  constructor(parent, { id, title, unit, clips, spans = [0, 0], curves }) {
    Object.assign(this, { possible: curves, curves: [], clips, spans, series: [], cells: [], end: 1, low: 0, high: 1 });
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
    this.curves = curvesOf(this.possible, tables);
    this.figure.hidden = !this.curves.length;
    this.series = tables.flatMap(({ columns }, table) =>
      this.curves.map((curve, place) => {
        const inputs = curve.columns.map((name) => columns[name]);
        return { place, table, times: columns.time, values: inputs.every(Boolean) ? curve.values(...inputs) : [] };
      }),
    );
    this.layValues(tables.map(({ label }) => label));
    const all = this.series.filter(({ values }) => values.length).flatMap(({ values }) => (this.clips ? [1.5 * quantile(values, 0.98)] : extremes(values)));
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
    this.curves.forEach(({ name }, place) => {
      const row = body.insertRow();
      cell(row, "th", name, `key c${place % 6}`).scope = "row";
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

  /** At most two points per pixel: the smallest and the largest value there. */
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

/** The last step that began before a time. */
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

/** The value below which a fraction of all values lies. Steps during which the machine did other work are left out. */
function quantile(values, fraction) {
  return [...values].sort((a, b) => a - b)[Math.floor(fraction * (values.length - 1))] ?? 0;
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
