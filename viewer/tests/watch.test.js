// Watching a run in progress: news, the stop button, a killed server, a second client.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, serve, shoot, startSimulation, temporaryFolder, until } from "./support.js";

const folder = temporaryFolder();
let browser;

before(async () => (browser = await openBrowser()));
after(() => browser.close());

const exists = async (path) => {
  while (!existsSync(path)) await new Promise((done) => setTimeout(done, 50));
};

test("a run in progress is watched, and stops with a checkpoint when asked", async () => {
  const run = join(folder, "dam");
  const child = startSimulation("dam-break", run, "--frames", "5000", "--set", "grid.cells=[96,72]", "--set", "output.checkpoint_every=0");
  await exists(join(run, "view/particles/0002.gz"));
  const server = await serve([run]);
  const [page, second] = [await openPage(browser, server.url), await openPage(browser, server.url)];
  await until(page, () => window.unstick.panels[0].shown?.number > 2);
  assert.match(await page.locator("#progress-text").textContent(), /frame \d+ of 5000, .* left/);

  // The delay of news: when the page first knew of a frame, minus when its file was written.
  const heard = await page.evaluate(async () => {
    const heard = [];
    let last = window.unstick.panels[0].lastFrame();
    while (heard.length < 8) {
      await new Promise((done) => setTimeout(done, 5));
      const now = window.unstick.panels[0].lastFrame();
      if (now > last) heard.push([(last = now), Date.now()]);
    }
    return heard;
  });
  const delays = heard.map(([frame, at]) => at - statSync(join(run, `view/particles/${String(frame).padStart(4, "0")}.gz`)).mtimeMs);
  console.log(`news of a frame after ${delays.map((delay) => Math.round(delay)).join(", ")} ms`);
  assert.ok(Math.min(...delays) < 1000, `${delays}`);
  await until(second, () => window.unstick.panels[0].shown?.number > 5);
  await shoot(page, "watch");

  await page.locator("#stop").click();
  await new Promise((done) => child.once("exit", done));
  assert.equal(child.exitCode, 130);
  assert.equal(readdirSync(join(run, "checkpoint")).length, 1);
  assert.equal(JSON.parse(readFileSync(join(run, "status.json"))).state, "stopped");
  await until(page, () => /stopped, a checkpoint is written/.test(document.querySelector("#progress-text").textContent));
  assert.ok(await page.locator("#stop").isHidden());

  // The server is killed: the page says so, shows what it has, and reconnects to the next server.
  const port = new URL(server.url).port;
  await server.kill();
  await until(page, () => /server is gone/.test(document.querySelector("#link").textContent));
  await page.locator("#back").click();
  const again = await serve([run], port);
  await until(page, () => document.querySelector("#link").textContent === "");
  assert.deepEqual([page.problems, second.problems], [[], []]);
  await again.kill();
});

test("a run whose process was killed is shown as ended", async () => {
  const run = join(folder, "killed");
  const child = startSimulation("dam-break", run, "--frames", "5000", "--set", "grid.cells=[64,48]");
  await exists(join(run, "view/particles/0003.gz"));
  const server = await serve([run]);
  const page = await openPage(browser, server.url);
  await until(page, () => /left/.test(document.querySelector("#progress-text").textContent));
  child.kill("SIGKILL");
  await until(page, () => /ended early/.test(document.querySelector("#progress-text").textContent));
  await server.kill();
});
