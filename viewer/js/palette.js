// Colours: the same as in the pictures that a run draws.

/** From slow to fast: deep blue over cyan to white. */
export const FOAM = [[30, 84, 166], [32, 122, 204], [62, 164, 226], [132, 206, 238], [248, 252, 255]];

/** From low to high pressure: violet over green to yellow. */
export const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

export const GROUND = [17 / 255, 22 / 255, 30 / 255];
export const SOLID = [84 / 255, 92 / 255, 102 / 255];
export const SEPARATED = [1, 140 / 255, 26 / 255];

/** 256 colours as bytes of red, green, blue and opacity. */
export function paletteBytes(stops) {
  const bytes = new Uint8Array(4 * 256);
  for (let entry = 0; entry < 256; entry++) {
    const place = (entry / 255) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    for (let channel = 0; channel < 3; channel++) {
      const [from, to] = [stops[below][channel], stops[below + 1][channel]];
      bytes[4 * entry + channel] = Math.round(from + (place - below) * (to - from));
    }
    bytes[4 * entry + 3] = 255;
  }
  return bytes;
}

/** The palette as a gradient for a legend. */
export function gradient(stops) {
  return `linear-gradient(to right, ${stops.map((stop) => `rgb(${stop.join(" ")})`).join(", ")})`;
}
