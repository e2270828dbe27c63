// The stage as a picture or a movie.

/** A canvas with all panels side by side and their captions. */
export function compose(panels, time) {
  const sources = panels.map((panel) => (panel.canvas.hidden ? panel.image : panel.canvas));
  const size = (source) => [source.naturalWidth ?? source.width, source.naturalHeight ?? source.height];
  const height = Math.max(...sources.map((source) => size(source)[1]));
  const widths = sources.map((source) => Math.round((size(source)[0] * height) / size(source)[1]));
  const sheet = document.createElement("canvas");
  sheet.width = even(widths.reduce((total, width) => total + width, 0));
  sheet.height = even(height);
  paintSheet(sheet, panels, sources, widths, time);
  return { sheet, repaint: (now) => paintSheet(sheet, panels, sources, widths, now) };
}

function paintSheet(sheet, panels, sources, widths, time) {
  const context = sheet.getContext("2d");
  let left = 0;
  sources.forEach((source, place) => {
    context.drawImage(source, left, 0, widths[place], sheet.height);
    context.font = `${Math.max(12, Math.round(sheet.height / 32))}px system-ui, sans-serif`;
    context.fillStyle = "#e8eef6";
    context.textBaseline = "top";
    context.fillText(`${panels[place].caption.textContent}   ${time.toFixed(2)} s`, left + 12, 10);
    left += widths[place];
  });
}

const even = (size) => size + (size % 2);

/** Offers bytes as a file. */
export function offer(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The stage now as a PNG file. */
export async function savePicture(panels, time, name) {
  const { sheet } = compose(panels, time);
  offer(await new Promise((done) => sheet.toBlob(done, "image/png")), name);
}

/**
 * Records all frames as a WebM file. `show(frame)` draws a frame and resolves when it is visible. `progress` receives
 * its number. `signal` ends the recording early.
 */
export async function saveMovie({ frames, fps, panels, show, timeOf, progress, signal, name }) {
  const type = ["video/webm;codecs=vp8", "video/webm;codecs=vp9", "video/webm"].find((type) => window.MediaRecorder?.isTypeSupported(type));
  if (!type) throw new Error("This browser cannot record movies.");
  await show(0);
  const { sheet, repaint } = compose(panels, timeOf(0));
  const stream = sheet.captureStream(0);
  const [track] = stream.getVideoTracks();
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 8e6 });
  const pieces = [];
  let heard = 0; // when the encoder last delivered data
  recorder.ondataavailable = (event) => {
    pieces.push(event.data);
    if (event.data.size) heard = performance.now();
  };
  const [begun, ended] = ["onstart", "onstop"].map((name) => new Promise((done) => (recorder[name] = done)));
  recorder.start(100);
  await begun;
  for (let frame = 0; frame <= frames && !signal.aborted; frame++) {
    const shownAt = performance.now();
    await show(frame);
    repaint(timeOf(frame));
    track.requestFrame();
    await new Promise(requestAnimationFrame); // a canvas is captured when the screen is drawn
    progress(frame);
    await new Promise((done) => setTimeout(done, Math.max(0, 1000 / fps - (performance.now() - shownAt))));
  }
  // On a busy machine the encoder needs a while for the last frames.
  heard = performance.now();
  while (performance.now() - heard < 800) await new Promise((done) => setTimeout(done, 100));
  recorder.stop();
  await ended;
  if (!signal.aborted) offer(new Blob(pieces, { type: "video/webm" }), name);
}
