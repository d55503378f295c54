// What the first load of a page takes: requests, script, the largest paint and how far things moved: `npm run build:web`, then
// `npx node bench/pages.bench.ts`; with SLOW=1 on a phone's line of 1.6 Mb/s and a processor four times slower. Needs a Chromium.
import type { Page } from "playwright-core";
import { launch, openDemo } from "../test/demo.kit.ts";

const TIMES = Number(process.env.TIMES ?? 5);
const isSlow = process.env.SLOW === "1";
const [browser, demo] = await Promise.all([launch(), openDemo()]);
const [dataset] = (await demo.operator.listDatasets({})).items;
const [release] = (await demo.operator.listReleases({})).items;
if (dataset === undefined || release === undefined) throw new Error("the demo has no dataset or no release");
const pages = {
  home: "/",
  dataset: `/datasets/${dataset.id}`,
  plan: `/datasets/${dataset.id}/plan`,
  releases: "/releases",
  release: `/releases/${release.id}`,
  requests: "/requests",
  "front page of the docs": "/docs/index.html",
  "docs with a figure": "/docs/learn/epsilon.html",
  "longest of the docs": "/docs/math.html",
};

interface Load {
  readonly requests: number;
  readonly api: number;
  readonly kilobytes: number;
  readonly paint: number;
  readonly shift: number;
}

/** Layout shifts and the largest paint as the browser reports them; both are kept from the first moment of the page. */
const OBSERVE = `
  window.seen = { shift: 0, paint: 0 };
  new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) seen.shift += one.value; })
    .observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => { for (const one of list.getEntries()) seen.paint = one.startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });`;

async function load(page: Page, path: string): Promise<Load> {
  let [requests, api] = [0, 0];
  const count = (request: { url(): string }) => {
    requests += 1;
    if (request.url().includes("/v1/")) api += 1;
  };
  page.on("request", count);
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  if (isSlow) {
    const bytesPerSecond = 1.6e6 / 8;
    await session.send("Network.emulateNetworkConditions", {
      offline: false,
      latency: 40,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    });
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  }
  let bytes = 0;
  const scripts = new Set<string>();
  session.on("Network.responseReceived", ({ requestId, type }) => void (type === "Script" && scripts.add(requestId)));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await page.goto(new URL(path, demo.url).href);
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => document.querySelector(".mantine-Skeleton-root") === null);
  const { paint, shift } = (await page.evaluate("seen")) as { paint: number; shift: number };
  page.off("request", count);
  await session.detach();
  return { requests, api, kilobytes: bytes / 1000, paint, shift };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

for (const name of (process.env.WHO ?? "Ana,Dana").split(","))
  for (const width of [1440, 390]) {
    const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 900 } });
    await context.addInitScript(OBSERVE);
    const page = await context.newPage();
    await page.goto(await demo.link(name));
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    for (const [label, path] of Object.entries(pages)) {
      const loads: Load[] = [];
      for (let time = 0; time < TIMES; time++) loads.push(await load(page, path));
      const of = (key: keyof Load) => median(loads.map((one) => one[key]));
      console.log(
        `${name}, ${width} px, ${label}: ${of("requests")} requests (${of("api")} to the API), ${of("kilobytes").toFixed(0)} kB of script, largest paint ${of("paint").toFixed(0)} ms, layout shift ${Math.max(...loads.map((one) => one.shift)).toFixed(3)}`,
      );
    }
    await context.close();
  }
await browser.close();
await demo.close();
