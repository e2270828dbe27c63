// Connects the parts of the page: runs and panels, timeline, options, plots, saving, tabs and themes.

import { askToStop, fetchTable, watchRuns } from "./api.js";
import { OrbitCamera, PlaneCamera } from "./camera.js";
import { Detail } from "./detail.js";
import { lastOf } from "./frames.js";
import { PALETTES, gradient } from "./palette.js";
import { Panel, nameOf } from "./panel.js";
import { Plots, short } from "./plots.js";
import { Sandbox } from "./sandbox.js";
import { saveMovie, savePicture } from "./save.js";
import { Timeline } from "./timeline.js";

const $ = (id) => document.getElementById(id);

let runs = [];
let pending = false;
const panels = [...document.querySelectorAll(".panel")].map((element) => new Panel(element, redraw));
const timeline = new Timeline(redraw);
const plots = new Plots($("plots"));
const tables = new Map(); // "run/table" → { bytes, columns }
export const statistics = { frames: 0, milliseconds: 0 }; // the cost of drawing, for tests

/* Drawing */

function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(drawNow);
}

const detail = new Detail();
let before = performance.now();
function drawNow(now) {
  pending = false;
  timeline.tick(Math.min((now - before) / 1000, 0.1));
  detail.note(now - before, timeline.playing);
  before = now;
  const begun = performance.now();
  const seen = shownPanels().map((panel) => panel.draw(timeline.time, options(), 1));
  statistics.frames += 1;
  statistics.milliseconds += performance.now() - begun;
  statistics.seen = seen;
  statistics.block = detail.block;
  plots.setTime(timeline.time);
  showTime(seen);
  if (timeline.playing) redraw();
}

function options() {
  const axis = $("slice-axis").value;
  return {
    show: $("show").value,
    colour: $("colour").value,
    separated: $("separated").checked,
    solids: $("solids").checked,
    block: detail.block,
    slice: axis === "" ? null : { axis: Number(axis), at: Number($("slice-at").value) },
  };
}

const shownPanels = () => panels.filter((panel) => panel.run);

function showTime(seen) {
  const frame = Math.floor(timeline.time / timeline.step + 1e-6);
  $("time").value = frame;
  $("time").setAttribute("aria-valuetext", `frame ${frame}, ${timeline.time.toFixed(2)} seconds`);
  $("moment").textContent = `${timeline.time.toFixed(2)} s, frame ${Math.max(...seen, 0)}`;
  $("play").setAttribute("aria-pressed", timeline.playing);
  $("play").setAttribute("aria-label", timeline.playing ? "Pause" : "Play");
  $("play").textContent = timeline.playing ? "❚❚" : "▶";
  showLegend();
}

function showLegend() {
  const quantity = $("colour").value;
  const scene = shownPanels().find((panel) => panel.hasData())?.store.peek("scene", 0);
  $("legend-bar").style.background = gradient(PALETTES[quantity]);
  const high = { speed: `${short(scene?.fastest)} m/s`, pressure: `${short(scene?.highest)} Pa` }[quantity];
  $("legend-high").textContent = scene ? high : "";
}

/* Runs */

function onRuns(news) {
  const isFirst = !runs.length;
  runs = news;
  const names = runs.map((run) => ({ value: String(run.id), text: nameOf(run) }));
  fillSelect($("run-0"), names, isFirst ? "0" : null);
  const pair = runs.length > 1 && runs[0].cells?.length === runs[1].cells?.length ? "1" : "";
  fillSelect($("run-1"), [{ value: "", text: "none" }, ...names], isFirst ? pair : null);
  $("no-runs").hidden = runs.length > 0;
  $("with-runs").hidden = !runs.length;
  if (!runs.length) openTab("sandbox");
  chooseRuns();
}

function fillSelect(select, entries, chosen) {
  const value = chosen ?? select.value;
  select.replaceChildren(...entries.map(({ value, text }) => new Option(text, value)));
  select.value = entries.some((entry) => entry.value === value) ? value : entries[0]?.value ?? "";
}

function chooseRuns() {
  panels.forEach((panel, side) => panel.setRun(runs.find((run) => String(run.id) === $(`run-${side}`).value) ?? null));
  linkCameras();
  const shown = shownPanels().filter((panel) => !panel.run.problem);
  showLive(shown.map((panel) => panel.run)); // decides whether to follow, before the extent grows
  const step = Math.min(...shown.map((panel) => panel.run.frame_seconds), Infinity);
  const ends = shown.map((panel) => Math.max(0, panel.lastFrame()) * panel.run.frame_seconds);
  timeline.setExtent(Math.max(0, ...ends), Number.isFinite(step) ? step : 0.01);
  $("time").max = Math.round(timeline.end / timeline.step);
  const isSpace = shown.some((panel) => panel.hasData() && panel.dimension() === 3);
  document.querySelectorAll(".space-only").forEach((element) => (element.hidden = !isSpace));
  showMovieLink(shown[0]?.run);
  loadTables(shown.map((panel) => panel.run));
  redraw();
}

function linkCameras() {
  const [left, right] = panels;
  const isLinked = $("linked").checked;
  if (isLinked) right.cameras = left.cameras;
  else if (right.cameras === left.cameras) {
    const copy = (camera, own) => Object.assign(own, structuredClone({ ...camera }));
    right.cameras = { 2: copy(left.cameras[2], new PlaneCamera()), 3: copy(left.cameras[3], new OrbitCamera()) };
  }
}

function showMovieLink(run) {
  $("movie").hidden = !run?.movie;
  if (run?.movie) Object.assign($("movie"), { href: `/api/runs/${run.id}/movie`, download: `${run.folder}-${run.movie}` });
}

async function loadTables(shown) {
  const wanted = shown.flatMap((run) => run.tables.map((table, place) => ({ run, place, ...table })));
  await Promise.all(wanted.map(async ({ run, place, bytes }) => {
    const key = `${run.id}/${place}`;
    if (tables.get(key)?.bytes === bytes) return;
    tables.set(key, { bytes, columns: (await fetchTable(run.id, place)) ?? {} });
  }));
  const several = wanted.length > 1;
  const found = wanted.map(({ run, place, label }) => ({
    label: several ? label || nameOf(run) : "",
    columns: tables.get(`${run.id}/${place}`)?.columns ?? {},
  }));
  plots.setTables(found.filter(({ columns }) => columns.time?.length), timeline.end);
  plots.setTime(timeline.time);
}

/* A run in progress */

function showLive(shown) {
  const run = shown.find(({ status }) => status?.state === "running") ?? shown.find(({ status }) => status);
  const status = run?.status;
  const isRunning = status?.state === "running";
  $("live").hidden = !status || (status.state === "finished" && !$("live").dataset.seen);
  if (isRunning) $("live").dataset.seen = "yes";
  if (!status) return;
  const follows = isRunning && $("follow").checked;
  if (follows && !timeline.follows && !timeline.playing) timeline.time = timeline.end; // following starts with the newest frame
  timeline.follows = follows;
  $("progress").max = status.frames;
  $("progress").value = status.frame;
  const left = status.seconds_left === null ? "" : `, ${minutes(status.seconds_left)} left`;
  const ends = { finished: "finished", stopped: "stopped, a checkpoint is written", failed: "ended early: its process was killed or met an error" };
  $("progress-text").textContent = `frame ${status.frame} of ${status.frames}${isRunning ? left : `, ${ends[status.state]}`}`;
  $("stop").hidden = !isRunning;
  $("stop").dataset.run = run.id;
  $("stop").disabled = false;
}

const minutes = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);

$("stop").addEventListener("click", async () => {
  $("stop").disabled = true;
  $("progress-text").textContent = await askToStop($("stop").dataset.run).catch(() => "the server is gone");
});

watchRuns(onRuns, (isThere) => {
  if (isThere) panels.forEach((panel) => panel.store?.failed.clear()); // what failed while the server was gone may work now
  $("link").textContent = isThere ? "" : "The server is gone; trying again…";
  $("link").classList.toggle("lost", !isThere);
});

/* Controls */

$("run-0").addEventListener("change", chooseRuns);
$("run-1").addEventListener("change", chooseRuns);
$("linked").addEventListener("change", () => [linkCameras(), redraw()]);
$("follow").addEventListener("change", () => [chooseRuns(), $("follow").checked && timeline.seek(timeline.end)]);
for (const id of ["show", "colour", "separated", "solids", "slice-axis", "slice-at"]) $(id).addEventListener("input", redraw);
$("play").addEventListener("click", () => timeline.toggle());
$("back").addEventListener("click", () => timeline.stepBy(-1));
$("forward").addEventListener("click", () => timeline.stepBy(1));
$("first").addEventListener("click", () => timeline.seek(0));
$("last").addEventListener("click", () => timeline.seek(timeline.end));
$("time").addEventListener("input", () => [(timeline.playing = false), timeline.seek(Number($("time").value) * timeline.step)]);
$("speed").addEventListener("change", () => (timeline.speed = Number($("speed").value)));
$("loop").addEventListener("change", () => (timeline.loops = $("loop").checked));

document.addEventListener("keydown", (event) => {
  if ($("runs").hidden || event.target.matches("input, select, textarea, summary") || event.ctrlKey || event.metaKey) return;
  const far = event.shiftKey ? 10 : 1;
  if (event.key === " " && !event.target.matches("button")) timeline.toggle();
  else if (event.key === "ArrowLeft") timeline.stepBy(-far);
  else if (event.key === "ArrowRight") timeline.stepBy(far);
  else if (event.key === "Home") timeline.seek(0);
  else if (event.key === "End") timeline.seek(timeline.end);
  else return;
  event.preventDefault();
});

/* Saving */

const fileName = (end) => `${shownPanels()[0]?.run.scene ?? "unstick"}${end}`;

$("save-picture").addEventListener("click", () => {
  drawNow(performance.now()); // a canvas can be read only right after drawing
  savePicture(shownPanels(), timeline.time, fileName(`-${String($("time").value).padStart(4, "0")}.png`));
});

let recording = null;
$("save-movie").addEventListener("click", async () => {
  if (recording) return recording.abort();
  recording = new AbortController();
  timeline.playing = false;
  const button = $("save-movie");
  try {
    await saveMovie({
      frames: Math.round(timeline.end / timeline.step),
      fps: 30,
      panels: shownPanels(),
      timeOf: (frame) => frame * timeline.step,
      show: showFrame,
      progress: (frame) => (button.textContent = `Recording ${frame}; end`),
      signal: recording.signal,
      name: fileName(".webm"),
    });
  } catch (error) {
    $("link").textContent = error.message;
  }
  recording = null;
  button.textContent = "Save movie";
});

/** Draws a frame. Resolves when every panel shows it or says that it cannot. */
async function showFrame(frame) {
  timeline.time = frame * timeline.step;
  for (;;) {
    drawNow(performance.now());
    const isThere = shownPanels().every((panel) => !panel.hasData() || panel.shown?.number === panel.frameAt(timeline.time) || !panel.message.hidden);
    if (isThere) return;
    await new Promise((done) => setTimeout(done, 20));
  }
}

/* Tabs and themes */

const tabs = { runs: $("tab-runs"), sandbox: $("tab-sandbox") };
let sandbox = null;

function openTab(name) {
  for (const [key, tab] of Object.entries(tabs)) {
    tab.setAttribute("aria-selected", key === name);
    tab.tabIndex = key === name ? 0 : -1;
    $(key).hidden = key !== name;
  }
  if (name === "sandbox") {
    sandbox ??= new Sandbox($("sandbox"), loadSimulator);
    sandbox.resume();
  } else {
    sandbox?.pause();
    redraw();
  }
}

async function loadSimulator() {
  const response = await fetch("/wasm/sandbox.wasm");
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.arrayBuffer();
}

for (const [name, tab] of Object.entries(tabs)) {
  tab.addEventListener("click", () => openTab(name));
  tab.addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const other = name === "runs" ? "sandbox" : "runs";
    openTab(other);
    tabs[other].focus();
    event.stopPropagation();
  });
}

const darkens = matchMedia("(prefers-color-scheme: dark)");
let theme = null; // what the user chose, if anything
function applyTheme() {
  document.documentElement.dataset.theme = theme ?? (darkens.matches ? "dark" : "light");
}
darkens.addEventListener("change", applyTheme);
$("theme").addEventListener("click", () => {
  theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  applyTheme();
});
applyTheme();

// The token is now a cookie, so it leaves the address.
if (location.search.includes("token=")) history.replaceState(null, "", location.pathname);

Object.assign(window, { unstick: { panels, timeline, statistics, sandbox: () => sandbox, lastOf } });
