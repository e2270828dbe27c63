// The sandbox, in the page and as a file of its own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { UNSTICK, look, openBrowser, openPage, serve, shoot, temporaryFolder, until } from "./support.js";

let browser, server;

before(async () => {
  browser = await openBrowser();
  server = await serve([]);
});
after(async () => {
  await browser.close();
  await server.kill();
});

const CANVAS = "#sandbox canvas";
const time = (page) => page.evaluate(() => window.unstick.sandbox().simulator.calls.time());
const particles = (page) => page.evaluate(() => window.unstick.sandbox().simulator.picture().particles.position.count);
const separated = (page) => page.evaluate(() => window.unstick.sandbox().simulator.picture().separated.count);
const started = (page) => until(page, () => window.unstick?.sandbox()?.simulator?.calls.time() > 0.02);

async function drag(page, from, to) {
  const { x, y, width, height } = await page.locator(CANVAS).boundingBox();
  await page.mouse.move(x + from[0] * width, y + (1 - from[1]) * height);
  await page.mouse.down();
  await page.mouse.move(x + to[0] * width, y + (1 - to[1]) * height, { steps: 5 });
  await page.waitForTimeout(700);
  await page.mouse.up();
}

/** The mean height of the particles. */
const height = (page) => page.evaluate(() => {
  const { data, count } = window.unstick.sandbox().simulator.picture().particles.position;
  let sum = 0;
  for (let at = 1; at < data.length; at += 2) sum += data[at];
  return sum / count / 65535;
});

test("walls are drawn, liquid is poured and erased", async () => {
  const page = await openPage(browser, server.url);
  await started(page);
  assert.ok((await look(page, CANVAS)).blue > 1000);
  const before = await particles(page);
  await drag(page, [0.75, 0.8], [0.8, 0.8]);
  const poured = await particles(page);
  assert.ok(poured > before + 20, `${before} → ${poured}`);
  await page.locator("[data-tool=wall]").click();
  const walls = () => page.evaluate(() => window.unstick.sandbox().simulator.picture().solid.data.filter((byte) => byte < 120).length);
  const bare = await walls();
  await drag(page, [0.5, 0.6], [0.9, 0.6]);
  const drawn = await walls();
  assert.ok(drawn > bare + 50, `${bare} → ${drawn}`);
  await shoot(page, "sandbox");
  await page.locator("[data-tool=erase]").click();
  await drag(page, [0.5, 0.6], [0.9, 0.6]);
  assert.ok((await walls()) < drawn - 50);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

/** Restarts and simulates 0.3 s without drawing. Returns the mean height of the liquid. */
const heightLater = (page) => page.evaluate(() => {
  const sandbox = window.unstick.sandbox();
  sandbox.paused = true;
  sandbox.reset();
  const { simulator } = sandbox;
  while (simulator.calls.time() < 0.3) simulator.advance(0.3 - simulator.calls.time() + 1e-9);
  const { data, count } = simulator.picture().particles.position;
  return data.reduce((sum, value, at) => sum + (at % 2) * value, 0) / count / 65535;
});

test("one click makes the liquid let go of the ceiling", async () => {
  const page = await openPage(browser, server.url);
  await started(page);
  await page.locator("[data-id=preset]").selectOption({ label: "Ceiling" });
  const free = await heightLater(page);
  await shoot(page, "sandbox-lets-go");
  await page.locator("[data-id=walls]").click();
  const held = await heightLater(page);
  assert.equal(await separated(page), 0);
  await shoot(page, "sandbox-holds");
  assert.ok(Math.abs(0.875 - free - 0.5 * 9.81 * 0.3 ** 2) < 0.01, `free fall: ${free}`);
  assert.ok(held > free + 0.02, `held at ${held}, let go to ${free}`);
  await page.context().close();
});

test("gravity turns, the sandbox pauses and restarts, and keys do everything", async () => {
  const page = await openPage(browser, server.url);
  await started(page);
  await page.locator("[data-id=gravity]").selectOption("up");
  const before = await height(page);
  await until(page, () => window.unstick.sandbox().simulator.calls.time() > 0.8);
  assert.ok((await height(page)) > before + 0.1, "the liquid falls upwards");
  await page.locator("[data-id=pause]").click();
  await page.waitForTimeout(200);
  const then = await time(page);
  await page.waitForTimeout(300);
  assert.equal(await time(page), then);
  await page.locator("[data-id=pause]").click();
  await page.locator("[data-id=preset]").selectOption({ label: "Empty" });
  await until(page, () => window.unstick.sandbox().simulator.picture().particles.position.count === 0);
  await page.locator(CANVAS).focus();
  await page.keyboard.press("p");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.down(" ");
  await until(page, () => window.unstick.sandbox().simulator.picture().particles.position.count > 10);
  await page.keyboard.up(" ");
  await page.keyboard.press("s");
  assert.equal(await page.locator("[data-id=walls]").getAttribute("aria-pressed"), "false");
  for (const preset of ["Circle", "Maze", "Dam"]) {
    await page.locator("[data-id=preset]").selectOption({ label: preset });
    await started(page);
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("steps are fast enough to watch", async () => {
  const page = await openPage(browser, server.url);
  await started(page);
  const rate = await page.evaluate(() => {
    const { simulator } = window.unstick.sandbox();
    simulator.begin(96, 0);
    const begun = performance.now();
    let steps = 0;
    for (; simulator.calls.time() < 0.8; steps++) simulator.advance(1);
    return (1000 * steps) / (performance.now() - begun);
  });
  console.log(`sandbox: ${rate.toFixed(0)} steps/s on 96 × 96 cells`);
  assert.ok(rate > 0);
  await page.context().close();
});

test("the sandbox works from a disk, without a server", async () => {
  const folder = join(temporaryFolder(), "sandbox");
  execFileSync(UNSTICK, ["view", "--save-sandbox", folder]);
  const page = await openPage(browser, pathToFileURL(join(folder, "index.html")).href);
  await started(page);
  assert.ok((await look(page, CANVAS)).blue > 1000);
  const before = await particles(page);
  await drag(page, [0.75, 0.8], [0.8, 0.8]);
  assert.ok((await particles(page)) > before);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});
