// Colours as renderers and legends take them. The program generates colours.js from the colours of its pictures.

import { COLOURS } from "./colours.js";

/** The palette of each quantity: 256 times red, green and blue in bytes, from low to high. */
export const PALETTES = { speed: COLOURS.foam, pressure: COLOURS.viridis };

const fractions = (bytes) => bytes.map((byte) => byte / 255);
export const GROUND = fractions(COLOURS.ground);
export const SOLID = fractions(COLOURS.solid);
export const SEPARATED = fractions(COLOURS.separated);

/** A palette as bytes of red, green, blue and opacity. */
export function paletteBytes(palette) {
  const bytes = new Uint8Array(4 * 256).fill(255);
  for (let entry = 0; entry < 256; entry++) bytes.set(palette.slice(3 * entry, 3 * entry + 3), 4 * entry);
  return bytes;
}

/** A palette as a gradient for a legend. */
export function gradient(palette) {
  const stops = Array.from({ length: 18 }, (_, stop) => palette.slice(45 * stop, 45 * stop + 3)); // every 15th of 0 to 255
  return `linear-gradient(to right, ${stops.map((stop) => `rgb(${stop.join(" ")})`).join(", ")})`;
}
