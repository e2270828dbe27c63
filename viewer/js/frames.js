// Frames of a run. They are fetched ahead of the playhead and kept while there is room.

import { fetchPack } from "./api.js";

const MOST_BYTES = 400e6;
const MOST_AT_ONCE = 4;

export class FrameStore {
  constructor(run) {
    this.run = run;
    this.packs = new Map(); // "layer/number" → pack, the least recently used first
    this.coming = new Map(); // "layer/number" → promise
    this.failed = new Map(); // "layer/number" → sentence
    this.bytes = 0;
  }

  /** A pack that has been fetched. */
  peek(layer, number) {
    const key = `${layer}/${number}`;
    const pack = this.packs.get(key);
    if (pack) {
      this.packs.delete(key);
      this.packs.set(key, pack);
    }
    return pack;
  }

  /** Why a frame cannot be shown; undefined if it can. */
  failure(layer, number) {
    return this.failed.get(`${layer}/${number}`);
  }

  /** Fetches a pack unless it has been fetched, is being fetched, or is known to be damaged. */
  want(layer, number, done) {
    const key = `${layer}/${number}`;
    if (this.packs.has(key) || this.coming.has(key) || this.failed.has(key)) return;
    if (this.coming.size >= MOST_AT_ONCE) return;
    const path = layer === "scene" ? "scene" : key;
    const coming = fetchPack(this.run, path)
      .then((pack) => this.keep(key, pack))
      .catch((error) => this.failed.set(key, error.message))
      .finally(() => {
        this.coming.delete(key);
        done();
      });
    this.coming.set(key, coming);
  }

  /** Forgets all packs: a new run has started in the same folder. */
  clear() {
    this.packs.clear();
    this.failed.clear();
    this.bytes = 0;
  }

  keep(key, pack) {
    this.packs.set(key, pack);
    this.bytes += pack.bytes;
    for (const [oldest, old] of this.packs) {
      if (this.bytes <= MOST_BYTES || oldest === key) break;
      this.packs.delete(oldest);
      this.bytes -= old.bytes;
    }
  }
}

/** Whether a number lies in a list of ranges. */
export function contains(ranges, number) {
  return ranges.some(([first, last]) => first <= number && number <= last);
}

/** The largest number in a list of ranges; −1 if the list is empty. */
export function lastOf(ranges) {
  return ranges.length ? ranges[ranges.length - 1][1] : -1;
}

/** The largest number in the ranges that is not above `number`, or else the first. */
export function nearestBelow(ranges, number) {
  let best = ranges.length ? ranges[0][0] : -1;
  for (const [first, last] of ranges) if (first <= number) best = Math.min(last, number);
  return best;
}
