// Accessibility: no serious violation, readable on a phone, light and dark, usable without a mouse.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, serve, shoot, simulate, temporaryFolder, until } from "./support.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = temporaryFolder();
let browser, server;

before(async () => {
  browser = await openBrowser();
  simulate("dam-break", join(folder, "dam"), "--compare", "sealed", "--set", "grid.cells=[32,24]", "--frames", "20");
  server = await serve([join(folder, "dam")]);
});
after(async () => {
  await browser.close();
  await server.kill();
});

async function serious(page) {
  await page.evaluate(AXE); // evaluated as a value, which the page's policy allows
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
}

const open = async (options) => {
  const page = await openPage(browser, server.url, options);
  await until(page, () => window.unstick?.panels.every((panel) => panel.shown) && document.querySelector("#plot-volume path"));
  return page;
};

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no serious violation, ${colorScheme}`, async () => {
    const page = await open({ colorScheme });
    assert.deepEqual(await serious(page), []);
    await page.locator("#tab-sandbox").click();
    await until(page, () => window.unstick.sandbox()?.simulator);
    await shoot(page, `sandbox-${colorScheme}`);
    assert.deepEqual(await serious(page), []);
    await page.context().close();
  });
}

test("a phone shows the whole page without scrolling sideways", async () => {
  const page = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok((await overflow()) <= 0);
  const small = await page.evaluate(() => [...document.querySelectorAll("button, select")].filter((element) => element.offsetParent && element.getBoundingClientRect().height < 32).map((element) => element.id));
  assert.deepEqual(small, [], "fingers need room");
  await shoot(page, "phone");
  await page.locator("#play").tap();
  await until(page, () => window.unstick.panels[0].shown.number > 3);
  await page.locator("#tab-sandbox").tap();
  await until(page, () => window.unstick.sandbox()?.simulator?.calls.time() > 0.02);
  assert.ok((await overflow()) <= 0);
  await page.locator("#sandbox canvas").tap();
  await shoot(page, "phone-sandbox");
  assert.deepEqual(await serious(page), []);
  await page.context().close();
});

test("the theme can be switched, and every control is reached with the Tab key", async () => {
  const page = await open({ colorScheme: "light" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  await page.locator("#theme").click();
  assert.notEqual(await ground(), before);
  const reached = new Set();
  for (let press = 0; press < 60; press++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
  }
  for (const id of ["run-0", "run-1", "linked", "CANVAS", "play", "time", "speed", "show", "colour", "separated", "save-picture"]) {
    assert.ok(reached.has(id), `${id} among ${[...reached]}`);
  }
  await page.context().close();
});
