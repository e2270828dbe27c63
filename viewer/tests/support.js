// Runs, a server for them and a browser.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const UNSTICK = process.env.UNSTICK ?? "unstick";
export const SHOTS = process.env.SHOTS; // a folder for screenshots, if they are wanted

/** A folder that is deleted when the tests end. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), "unstick-viewer-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Simulates a scene. */
export function simulate(scene, out, ...more) {
  execFileSync(UNSTICK, ["run", scene, "--out", out, "--quiet", ...more], { stdio: "inherit" });
  return out;
}

/** Starts a simulation and does not wait for it. */
export function startSimulation(scene, out, ...more) {
  const child = spawn(UNSTICK, ["run", scene, "--out", out, "--quiet", ...more], { stdio: "ignore" });
  child.unref(); // a test that fails must not wait for it
  process.on("exit", () => child.kill("SIGKILL"));
  return child;
}

/** Starts a server for folders: { url, kill }. It takes any free port unless one is given. */
export async function serve(folders, port = 0) {
  const child = spawn(UNSTICK, ["view", ...folders, "--quiet", "--no-open", "--port", String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  child.unref();
  process.on("exit", () => child.kill("SIGKILL"));
  const url = await new Promise((done, failed) => {
    child.stdout.once("data", (data) => done(String(data).trim()));
    child.once("exit", () => failed(new Error("the server has ended")));
  });
  return { url, kill: () => new Promise((done) => [child.once("exit", done), child.kill("SIGKILL")]) };
}

/** Debian's Chromium, which draws with the processor. */
export function openBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
    ],
  });
}

/** A page that collects errors and requests to other hosts in `problems`. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1100 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("ERR_CONNECTION_REFUSED")) page.problems.push(message.text());
  });
  page.on("request", (request) => {
    const target = new URL(request.url());
    if (["http:", "https:", "ws:", "wss:"].includes(target.protocol) && target.host !== new URL(url).host) page.problems.push(`asked ${target.host}`);
  });
  if (process.env.PAGE) await serveFromDisk(page); // while working on the page
  await page.goto(url);
  return page;
}

async function serveFromDisk(page) {
  const disk = process.env.PAGE;
  await page.route(/\/(js\/(?!colours\.js).*|style\.css|wasm\/.*)$/, (route) => route.fulfill({ path: join(disk, new URL(route.request().url()).pathname) }));
}

export async function shoot(page, name) {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/** Counts the pixels of a canvas that are blue, orange and bright, with a checksum to compare. */
export async function look(page, selector) {
  // A canvas that has been drawn shows at least its ground, so its checksum is not zero.
  for (let tries = 0; tries < 20; tries++) {
    const counts = await lookOnce(page, selector);
    if (counts.sum) return counts;
    await page.waitForTimeout(100);
  }
  throw new Error(`nothing is drawn in ${selector}`);
}

function lookOnce(page, selector) {
  return page.evaluate(async (selector) => {
    const canvas = document.querySelector(selector);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    window.unstick.timeline?.moved();
    const pixels = await new Promise((done) => {
      requestAnimationFrame(() => {
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const context = copy.getContext("2d");
        context.drawImage(canvas, 0, 0);
        done(context.getImageData(0, 0, copy.width, copy.height).data);
      });
    });
    const counts = { blue: 0, orange: 0, bright: 0, sum: 0, all: pixels.length / 4 };
    for (let at = 0; at < pixels.length; at += 4) {
      const [red, green, blue] = [pixels[at], pixels[at + 1], pixels[at + 2]];
      counts.blue += blue > red + 40 && blue > 90;
      counts.orange += red > 200 && green > 90 && green < 190 && blue < 110;
      counts.bright += red + green + blue > 300;
      counts.sum = (counts.sum + (at % 9973) * (red + 3 * green + 7 * blue)) % 1e15;
    }
    return counts;
  }, selector);
}

/** Waits until a condition in the page holds. */
export async function until(page, condition, argument) {
  await page.waitForFunction(condition, argument, { timeout: 60_000 });
}
