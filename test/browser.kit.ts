import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { findChromium, launch } from "./demo.kit.ts";
import { picturesOf } from "./picture.kit.ts";

const root = new URL("..", import.meta.url).pathname;
/** The built pages: those of this tree, or those that `DOSIMETER_WEB_ROOT` names. */
export const built = process.env.DOSIMETER_WEB_ROOT ?? join(root, "apps/web/dist");

/** Why browser tests cannot run, or null. With REQUIRE_BROWSER=1 that is a failure, not a skip. */
export function whyNoBrowser(): string | null {
  const reason =
    findChromium() === null
      ? "no Chromium: set CHROMIUM_PATH or install one (apt-get install chromium)"
      : existsSync(join(built, "index.html"))
        ? null
        : "the web app is not built: npm run build:web";
  if (reason === null) return null;
  if (process.env.REQUIRE_BROWSER === "1") throw new Error(`REQUIRE_BROWSER=1, but ${reason}`);
  console.warn(`\n*** BROWSER TESTS SKIPPED: ${reason} ***\n`);
  return reason;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Any file host: the built page as plain files under /app/, nothing else. */
export async function fileHost(): Promise<{ readonly url: string; readonly asked: string[]; close(): void }> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://host").pathname;
    asked.push(path);
    const file = join(built, normalize(path.replace(/^\/app\//, "/")).replace(/\/$/, "/index.html"));
    if (!path.startsWith("/app/") || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" })
      .end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/app/`, asked, close: () => server.close() };
}

interface Host {
  readonly url: string;
  close(): void | Promise<void>;
}

/** A page in a browser context of its own, and what went wrong in it. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly troubles: readonly string[];
}

export interface Stage<H extends Host> {
  readonly host: H;
  readonly url: string;
  readonly browser: Browser;
  visit(options?: BrowserContextOptions): Promise<Visit>;
}

/** A browser and what it looks at, from the first test of a suite to its last. A visit of a test ends with it, unless later ones go on. */
export function stage<H extends Host>(open: () => Promise<H>, { goesOn = false } = {}): Stage<H> {
  let built: { readonly browser: Browser; readonly host: H } | null = null;
  let visited: BrowserContext[] = [];
  const here = () => {
    if (built === null) throw new Error("a stage stands from the first test on");
    return built;
  };
  beforeAll(async () => {
    const [browser, host] = await Promise.all([launch(), open()]);
    built = { browser, host };
  });
  beforeEach(() => {
    visited = []; // what a suite opened before its tests stays
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail" && built !== null) console.error(await picturesOf(built.browser, task.name));
    for (const context of visited) await context.close();
  });
  afterAll(async () => {
    await built?.browser.close();
    await built?.host.close();
  });
  return {
    get host() {
      return here().host;
    },
    get url() {
      return here().host.url;
    },
    get browser() {
      return here().browser;
    },
    async visit(options = {}) {
      const context = await here().browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      if (!goesOn) visited.push(context);
      const troubles = troublesOf(context);
      const page = await context.newPage();
      return { page, context, troubles };
    },
  };
}

/** Deletes the plans that earlier tests typed as the person who is signed in: each begins with an empty one. */
export const forgetPlans = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    localStorage.clear();
    const response = await fetch("/v1/unfinished");
    const { items } = (await response.json()) as { readonly items: readonly { id: string; dataset: string | null }[] };
    for (const { id } of items.filter(({ dataset }) => dataset !== null))
      await fetch(`/v1/drafts/${id}`, { method: "DELETE", headers: { "x-dosimeter": "1" } });
  });

/** Signs in the person whose name begins with `name`, without a plan that an earlier test typed, and opens the home page. */
export async function signedIn(
  at: Stage<Host & { link(name: string): Promise<string> }>,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const visit = await at.visit(options);
  await visit.page.goto(await at.host.link(name));
  await visit.page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
  await forgetPlans(visit.page);
  return visit;
}

/** What went wrong on a page without a word to the reader: exceptions, console errors, failed requests. */
export function troublesOf(context: BrowserContext): string[] {
  const troubles: string[] = [];
  context.on("weberror", (error) => troubles.push(`exception: ${error.error().message}`));
  context.on("console", (message) => {
    if (message.type() === "error") troubles.push(`console: ${message.text()} ${message.location().url}`.trim());
  });
  context.on("requestfailed", (request) => {
    // A page left behind cancels what it was waiting for.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") troubles.push(`request: ${request.url()}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 500) troubles.push(`${response.status()}: ${response.url()}`);
  });
  return troubles;
}

const RULES: axe.RunOnly = {
  type: "tag",
  values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
};
const RULES_OF_COLOUR: axe.RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

/**
 * Waits until nothing that shows fades or moves, except what never ends. What is not rendered does not count: a read of
 * a style inside a closed <details> begins transitions that the browser never ticks, and that therefore never finish.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== "running" ||
          effect?.getComputedTiming().endTime === Infinity ||
          (effect instanceof KeyframeEffect && effect.target?.checkVisibility() === false),
      ),
  );
}

/** What axe finds serious. Its script stays in the page: to read it again takes longer than to run it. */
async function seriousOn(page: Page, runOnly: axe.RunOnly, rules: axe.RuleObject = {}): Promise<readonly string[]> {
  await settled(page);
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(document, options),
    { runOnly, rules, resultTypes: ["violations"] } satisfies axe.RunOptions,
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary ?? ""}`).join(" | ")}`,
    );
}

/** axe finds nothing serious. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await seriousOn(page, RULES), page.url()).toEqual([]);
}

/** All but colours, which take most of the time on a long page. */
export async function expectAccessibleButColours(page: Page): Promise<void> {
  const rules = Object.fromEntries((RULES_OF_COLOUR.values as string[]).map((rule) => [rule, { enabled: false }]));
  expect(await seriousOn(page, RULES, rules), page.url()).toEqual([]);
}

async function seenIn(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // The page gets the new colour scheme, and then changes.
  await page.waitForFunction(
    (wanted) => getComputedStyle(document.documentElement).colorScheme === wanted,
    colorScheme,
  );
}

/** Nor in the dark, where words and shapes are the same: the rules of colours are asked again. */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  await seenIn(page, "light");
  await expectAccessible(page);
  await seenIn(page, "dark");
  expect(await seriousOn(page, RULES_OF_COLOUR), `${page.url()} in the dark`).toEqual([]);
  await seenIn(page, "light");
}

/** Nothing sticks out to the right, once the charts are drawn for the page's width. */
export async function expectNoSideways(page: Page): Promise<void> {
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(wide, { message: `${page.url()} scrolls sideways`, timeout: 10_000 }).toBeLessThanOrEqual(0);
}
