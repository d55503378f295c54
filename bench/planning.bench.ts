// What an edit of a long plan costs on the page: `npm run build:web`, then
// `npx node bench/planning.bench.ts`. Needs a Chromium.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { built, fileHost } from "../test/browser.kit.ts";
import { launch } from "../test/demo.kit.ts";

const ROWS = 200;
const TIMES = 15;
const WARM = 8;

const [browser, host] = await Promise.all([launch(), fileHost()]);
const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
await page.goto(`${host.url}#/explore/plan`);
await page.getByRole("button", { name: "Add a statistic" }).waitFor();

const columns = ["age", "income", "educ"];
const rows = Array.from({ length: ROWS - 1 }, (_, i) => (i % 4 === 3 ? "histogram\trace" : `mean\t${columns[i % 3]}`));
await page.getByRole("button", { name: "Count", exact: true }).click();
await paste(page, ["statistic\tvariable", ...rows].join("\n"));
await page.getByRole("row", { name: /^Statistic 10:/ }).waitFor();

console.log(`first load of the page: ${Math.round(scriptBytes() / 1000)} kB of script, gzipped`);
const session = await page.context().newCDPSession(page);
// Processor time of the page's own thread: other processes on this machine do not count.
await session.send("Performance.enable", { timeDomain: "threadTicks" });
const busy = async (): Promise<number> => {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
};
for (const accountant of ["addition", "auto"]) {
  await page.getByLabel("Added up by").selectOption(accountant);
  const times: number[] = [];
  const work: number[] = [];
  for (let time = 0; time < TIMES + WARM; time++) {
    const before = await busy();
    const spent = await editTime(page, time % 10, 1 + time / 100);
    if (time < WARM) continue;
    times.push(spent);
    work.push((await busy()) - before);
  }
  times.sort((a, b) => a - b);
  work.sort((a, b) => a - b);
  console.log(
    `${ROWS} rows, ${accountant}: ${work[TIMES >> 1]?.toFixed(0)} ms of processor time, opening the cell included`,
  );
  console.log(
    `${ROWS} rows, ${accountant}: typed to painted, median ${times[TIMES >> 1]?.toFixed(0)} ms, worst ${times.at(-1)?.toFixed(0)} ms`,
  );
}
await page.reload();
await page.getByRole("button", { name: /^Five statistics/ }).click();
const frames = await dragFrames(page);
console.log(`drag on the curve: ${frames.toFixed(0)} frames a second`);
await browser.close();
host.close();

async function paste(on: Page, text: string): Promise<void> {
  await on.locator("[role=gridcell][tabindex='0']").evaluate((cell, given) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", given);
    cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** From Enter in a share to the frame in which all rows have their final place. */
async function editTime(on: Page, row: number, factor: number): Promise<number> {
  const cell = on.getByRole("row", { name: new RegExp(`^Statistic ${row + 1}:`) }).locator('[data-label="Share of ε"]');
  await cell.focus();
  await on.keyboard.press("F2");
  await cell.locator("input").fill(String(0.004 * factor));
  return on.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const input = document.activeElement;
        const from = performance.now();
        input?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
        // The frame after the next begins when this one's paint is done.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - from)));
      }),
  );
}

/** Frames a second while the point of the curve follows the pointer for a second. */
async function dragFrames(on: Page): Promise<number> {
  const handle = on.getByRole("slider", { name: /^Share of/ });
  await handle.scrollIntoViewIfNeeded();
  const box = await handle.boundingBox();
  if (box === null) throw new Error("the curve has no point");
  await on.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await on.mouse.down();
  const counting = on.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let frames = 0;
        const from = performance.now();
        const next = (): void => {
          frames += 1;
          const spent = performance.now() - from;
          if (spent > 1500) resolve((1000 * frames) / spent);
          else requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
  );
  let isDone = false;
  void counting.then(() => {
    isDone = true;
  });
  for (let step = 0; !isDone; step++) await on.mouse.move(box.x - 60 + (step % 60), box.y + 10);
  await on.mouse.up();
  return counting;
}

/** The entry, the planner's page, and all that either imports at once. */
function scriptBytes(): number {
  const assets = join(built, "assets");
  const html = readFileSync(join(built, "index.html"), "utf8");
  const first = new Set([...html.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, file]) => file ?? ""));
  for (const file of readdirSync(assets)) if (/^Plan-.*\.js$/.test(file)) first.add(file);
  for (const file of first)
    for (const [, name = ""] of readFileSync(join(assets, file), "utf8").matchAll(/from\s*["']\.\/([\w.-]+\.js)["']/g))
      first.add(name);
  return [...first].reduce((sum, file) => sum + gzipSync(readFileSync(join(assets, file))).length, 0);
}
