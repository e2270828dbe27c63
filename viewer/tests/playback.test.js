// Playing runs: two and three dimensions, side by side, plots, saving.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { look, openBrowser, openPage, serve, shoot, simulate, temporaryFolder, until } from "./support.js";

const folder = temporaryFolder();
let browser, plane, space;

before(async () => {
  browser = await openBrowser();
  simulate("dam-break", join(folder, "dam"), "--compare", "sealed", "--set", "grid.cells=[64,48]", "--frames", "80");
  simulate("sphere-half", join(folder, "ball"), "--compare", "sealed", "--set", "grid.cells=[24,24,24]", "--frames", "30", "--set", "output.frames=false");
  plane = await serve([join(folder, "dam")]);
  space = await serve([join(folder, "ball")]);
});

after(async () => {
  await browser.close();
  await plane.kill();
  await space.kill();
});

const shown = (page, frame) => until(page, (frame) => window.unstick?.panels[0].run && window.unstick.panels.every((panel) => !panel.run || panel.shown?.number === frame), frame);
/** Length and width of a movie. A player knows the length after seeking to the end. */
const measure = (page, film) => page.evaluate(async (bytes) => {
  const video = document.createElement("video");
  video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))]));
  await new Promise((done) => (video.onloadedmetadata = done));
  video.currentTime = 1e6;
  await new Promise((done) => (video.onseeked = done));
  return { seconds: video.currentTime, width: video.videoWidth };
}, film.toString("base64"));
const seek = async (page, frame) => {
  await page.locator("#time").fill(String(frame));
  await shown(page, frame);
};

test("a comparison in the plane plays side by side", async () => {
  const page = await openPage(browser, plane.url);
  await shown(page, 0);
  assert.equal(await page.locator(".panel:visible").count(), 2);
  assert.match(await page.locator(".panel:visible .caption").first().textContent(), /sealed walls/);
  const first = await look(page, ".panel:nth-child(1) canvas");
  assert.ok(first.blue > 0.05 * first.all, "there is liquid to be seen");
  await seek(page, 75);
  await shoot(page, "plane-light");
  const [sealed, separating] = [await look(page, ".panel:nth-child(1) canvas"), await look(page, ".panel:nth-child(2) canvas")];
  assert.ok(separating.orange > 20 && sealed.orange === 0, `walls let go on the right alone: ${sealed.orange}, ${separating.orange}`);
  await page.locator("#separated").uncheck();
  assert.equal((await look(page, ".panel:nth-child(2) canvas")).orange, 0);
  await page.locator("#colour").selectOption("pressure");
  await until(page, () => /Pa/.test(document.querySelector("#legend-high").textContent));
  assert.notEqual((await look(page, ".panel:nth-child(1) canvas")).sum, sealed.sum);
  await page.locator("#colour").selectOption("speed");
  for (const show of ["particles", "both"]) {
    await page.locator("#show").selectOption(show);
    await until(page, () => window.unstick.panels.every((panel) => panel.shown.picture.particles));
    assert.ok((await look(page, ".panel:nth-child(1) canvas")).blue > 500, show);
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("the timeline plays, pauses, steps and follows keys", async () => {
  const page = await openPage(browser, plane.url);
  await shown(page, 0);
  await page.locator("#forward").click();
  await shown(page, 1);
  await page.keyboard.press("ArrowRight");
  await shown(page, 2);
  await page.keyboard.press("Shift+ArrowRight");
  await shown(page, 12);
  await page.locator("#back").click();
  await shown(page, 11);
  await page.locator("body").press("End");
  await shown(page, 80);
  await page.locator("body").press("Home");
  await shown(page, 0);
  await page.locator("#speed").selectOption("4");
  await page.locator("#play").click();
  await until(page, () => document.querySelector("#play").getAttribute("aria-label") === "Pause");
  await until(page, () => window.unstick.panels[0].shown.number > 10);
  await page.locator("body").press(" ");
  await until(page, () => document.querySelector("#play").getAttribute("aria-label") === "Play");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("plots follow the playhead", async () => {
  const page = await openPage(browser, plane.url);
  await shown(page, 0);
  await until(page, () => document.querySelectorAll("#plot-stages path").length === 12);
  const values = () => page.locator("#plot-energy .values").textContent();
  const place = () => page.locator("#plot-energy .playhead").getAttribute("x1");
  await seek(page, 5);
  const [before, at] = [await values(), await place()];
  await seek(page, 40);
  assert.notEqual(await values(), before);
  assert.ok(Number(await place()) > Number(at));
  assert.match(before, /sealed.*separating.*kinetic/);
  for (const plot of ["volume", "cycles"]) assert.ok((await page.locator(`#plot-${plot} path`).count()) >= 2, plot);
  await page.context().close();
});

test("cameras are linked until they are not", async () => {
  const page = await openPage(browser, space.url);
  await shown(page, 0);
  const canvases = page.locator(".panel canvas");
  const yaws = () => page.evaluate(() => window.unstick.panels.map((panel) => panel.camera().yaw));
  const drag = async () => {
    const { x, y, width, height } = await canvases.first().boundingBox();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 80, y + height / 2 + 20, { steps: 4 });
    await page.mouse.up();
  };
  const before = await yaws();
  await drag();
  const linked = await yaws();
  assert.ok(linked[0] !== before[0] && linked[0] === linked[1]);
  await page.locator("#linked").uncheck();
  await drag();
  const apart = await yaws();
  assert.ok(apart[0] !== linked[0] && apart[1] === linked[1]);
  await canvases.nth(1).focus();
  await page.keyboard.press("ArrowLeft");
  assert.notEqual((await yaws())[1], linked[1]);
  await page.mouse.wheel(0, -400);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a run in space shows its surface, particles, slices and walls", async () => {
  const page = await openPage(browser, space.url, { colorScheme: "dark" });
  await shown(page, 0);
  await seek(page, 5);
  await shoot(page, "space-dark");
  const right = ".panel:nth-child(2) canvas";
  const surface = await look(page, right);
  assert.ok(surface.blue > 0.02 * surface.all && surface.orange > 20, JSON.stringify(surface));
  await page.locator("#slice-axis").selectOption("2");
  await page.locator("#slice-at").fill("0.5");
  const sliced = await look(page, right);
  assert.ok(sliced.sum !== surface.sum, "a slice takes something away");
  await shoot(page, "space-slice");
  await page.locator("#slice-axis").selectOption("");
  await page.locator("#solids").uncheck();
  assert.notEqual((await look(page, right)).sum, surface.sum);
  await page.locator("#show").selectOption("particles");
  await until(page, () => window.unstick.panels.every((panel) => panel.shown.picture.particles));
  await shoot(page, "space-particles");
  const particles = await look(page, right);
  assert.ok(particles.blue > 0.01 * particles.all, JSON.stringify(particles));
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a frame and a movie can be saved", async () => {
  const run = simulate("column", join(folder, "column"), "--compare", "sealed", "--frames", "20", "--set", "grid.cells=[32,32]");
  const server = await serve([run]);
  const page = await openPage(browser, server.url);
  await shown(page, 0);
  await seek(page, 10);
  const [picture] = await Promise.all([page.waitForEvent("download"), page.locator("#save-picture").click()]);
  assert.equal(picture.suggestedFilename(), "column-0010.png");
  const bytes = readFileSync(await picture.path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(bytes.readUInt32BE(16) > 900, "both panels are on it");
  const [movie] = await Promise.all([page.waitForEvent("download", { timeout: 120_000 }), page.locator("#save-movie").click()]);
  const film = readFileSync(await movie.path());
  assert.equal(movie.suggestedFilename(), "column.webm");
  assert.equal(film.readUInt32BE(0), 0x1a45dfa3, "a WebM file");
  const { seconds, width } = await measure(page, film);
  assert.ok(seconds > 0.6 && width > 900, `${seconds} s for 21 frames at 30 a second, ${width} pixels wide`);
  const [own] = await Promise.all([page.waitForEvent("download"), page.locator("#movie").click()]);
  assert.match(own.suggestedFilename(), /^column-movie\.(png|mp4)$/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await server.kill();
});

test("old runs show their pictures, damaged frames say so", async () => {
  const old = simulate("column", join(folder, "old"), "--frames", "5", "--set", "grid.cells=[32,32]", "--set", "output.view=false");
  const damaged = simulate("column", join(folder, "damaged"), "--frames", "5", "--set", "grid.cells=[32,32]");
  writeFileSync(join(damaged, "view/surface/0002.gz"), "not a frame");
  rmSync(join(damaged, "view/surface/0004.gz"));
  const server = await serve([old, damaged]);
  const page = await openPage(browser, server.url);
  await until(page, () => document.querySelector(".panel img").complete && document.querySelector(".panel img").naturalWidth > 0);
  await page.locator("#time").fill("2");
  const message = page.locator(".panel:nth-child(2) .message");
  await until(page, () => /Frame 2 cannot be shown/.test(document.querySelector(".panel:nth-child(2) .message").textContent));
  await page.locator("#time").fill("4"); // without its surface it is not offered: the one before is shown
  await until(page, () => window.unstick.panels[1].shown?.number === 3);
  assert.ok(await message.isHidden());
  await page.locator("#time").fill("5");
  await until(page, () => document.querySelector(".panel:nth-child(2) .message").hidden);
  assert.ok(await page.locator(".panel:nth-child(1) img").isVisible());
  assert.ok(await message.isHidden());
  await page.context().close();
  await server.kill();
});

test("a viscous flow is shown alone and beside a liquid, each with the plots it has", async () => {
  const flow = simulate("cavity", join(folder, "cavity"), "--frames", "3", "--set", "output.frames=false");
  const liquid = simulate("column", join(folder, "beside"), "--frames", "3", "--set", "grid.cells=[32,32]", "--set", "output.frames=false");
  const drawn = (page) => page.evaluate(() => [...document.querySelectorAll(".plot:not([hidden])")].map((plot) => [plot.id, plot.querySelectorAll("path").length]));
  for (const [folders, plots] of [[[flow], { "plot-energy": 1, "plot-speed": 2 }], [[liquid, flow], { "plot-volume": 1, "plot-energy": 4 }], [[flow, liquid], { "plot-volume": 1, "plot-energy": 4 }]]) {
    const server = await serve(folders);
    const page = await openPage(browser, server.url);
    await shown(page, 0);
    await until(page, () => document.querySelector("#plot-energy path"));
    const found = Object.fromEntries(await drawn(page));
    for (const [plot, count] of Object.entries(plots)) assert.equal(found[plot], count, `${plot} of ${folders}`);
    assert.ok(Object.values(found).every((count) => count > 0), "no plot is empty");
    await page.locator("#last").click(); // frames of the two are not as far apart, but both have three
    await shown(page, 3);
    assert.deepEqual(page.problems, []);
    await page.context().close();
    await server.kill();
  }
});

test("without a run there are neither plots nor controls of runs, and a sentence says so", async () => {
  const server = await serve([]);
  const page = await openPage(browser, server.url);
  await until(page, () => !document.querySelector("#sandbox").hidden);
  await page.locator("#tab-runs").click();
  assert.match(await page.locator("#no-runs").innerText(), /unstick view FOLDER/);
  assert.equal(await page.locator("#runs .plot:visible, #runs button:visible").count(), 0);
  await page.context().close();
  await server.kill();
});

test("a slow machine draws fewer triangles while it plays, and all of them when it pauses", async () => {
  const page = await openPage(browser, space.url);
  await shown(page, 0);
  const [all, block, few, paused] = await page.evaluate(async () => {
    const { Detail, coarsen } = await import("/js/detail.js");
    const { mesh, cells } = window.unstick.panels[0].shown.picture;
    const [detail, count] = [new Detail(), (block) => coarsen(mesh, cells, block).triangle.count];
    for (let shot = 0; shot < 12; shot++) detail.note(100, true);
    return [count(1), detail.block, count(detail.block), detail.note(100, false).block];
  });
  assert.equal(block, 3);
  assert.ok(few > 0 && few < all / 4, `${few} of ${all} triangles`);
  assert.equal(paused, 1);
  assert.deepEqual(page.problems, []);
});
