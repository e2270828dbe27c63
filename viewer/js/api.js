// The server: the list of runs, their files, and news of changes.

import { readPack } from "./pack.js";

/** Fetches a file of the view/ folder. */
export async function fetchPack(run, path) {
  const response = await fetch(`/api/runs/${run}/${path}`);
  if (!response.ok) throw new Error(response.status === 404 ? "it is not there" : (await response.text()).trim());
  return readPack(await response.arrayBuffer());
}

/** Fetches a table of statistics as columns of numbers. Damaged lines are left out. */
export async function fetchTable(run, number) {
  const response = await fetch(`/api/runs/${run}/table/${number}`);
  if (!response.ok) return null;
  const [head, ...lines] = (await response.text()).split("\n");
  const names = head.trim().split(",");
  const columns = Object.fromEntries(names.map((name) => [name, []]));
  for (const line of lines) {
    const cells = line.split(",");
    if (cells.length !== names.length || !Number.isFinite(Number.parseFloat(cells[0]))) continue;
    names.forEach((name, column) => columns[name].push(Number(cells[column])));
  }
  return columns;
}

/** Asks a run to write a checkpoint and stop. Returns the sentence that the server answers. */
export async function askToStop(run) {
  const response = await fetch(`/api/runs/${run}/stop`, { method: "POST" });
  return (await response.text()).trim();
}

/**
 * Calls `onRuns` with the list of runs now and after every change, and `onLink` with whether the server answers.
 * If the server does not answer, the page tries again until it does.
 */
export function watchRuns(onRuns, onLink) {
  const events = new EventSource("/api/watch");
  events.onopen = () => onLink(true);
  events.onmessage = (event) => onRuns(JSON.parse(event.data));
  events.onerror = () => {
    onLink(false);
    // The browser connects again by itself, unless the server refused.
    if (events.readyState === EventSource.CLOSED) setTimeout(() => watchRuns(onRuns, onLink), 2000);
  };
}
