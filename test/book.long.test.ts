import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { errorCodes } from "@dosimeter/core";
import { serve } from "@dosimeter/server";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { exploreHelp, helpPages } from "../apps/web/src/help/help.ts";
import { addVersion } from "../scripts/docs-version.ts";
import {
  built,
  expectAccessibleButColours,
  expectAccessibleInBothThemes,
  expectNoSideways,
  stage,
  whyNoBrowser,
} from "./browser.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const reason = whyNoBrowser();
const book = join(built, "docs");

/** The links, pictures, styles and scripts of a page, and what they can point at. */
function read(file: string): { readonly links: readonly string[]; readonly ids: ReadonlySet<string> } {
  const html = readFileSync(file, "utf8").replaceAll(/<script\b[^>]*>[\s\S]*?<\/script>/g, (tag) => tag.split(">")[0]!);
  const all = (attribute: RegExp) => [...html.matchAll(attribute)].map(([, value = ""]) => value);
  return {
    links: all(/\s(?:href|src)="([^"]*)"/g).map((link) => link.replaceAll("&amp;", "&")),
    ids: new Set(all(/\sid="([^"]*)"/g)),
  };
}

/** Whether the book has a page, and the heading that is named after `#`. */
function isThere(pages: ReadonlyMap<string, ReturnType<typeof read>>, docs: string): boolean {
  const [page, heading] = docs.split("#");
  const parts = pages.get(`${page}.html`);
  return parts !== undefined && (heading === undefined || parts.ids.has(heading));
}

/** `.ci/run` builds it from a clone in which no package is built. */
describe.skipIf(reason !== null)("the built book", () => {
  const pages = () => readdirSync(book, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));

  test("has no broken link, no page without a way to it, and an address of no other host in what it loads", () => {
    const parts = new Map(pages().map((file) => [file, read(join(book, file))]));
    const reached = new Set(["index.html"]);
    const broken: string[] = [];
    for (const [file, { links }] of parts) {
      for (const link of links.filter((one) => !/^(https?|mailto|data):/.test(one))) {
        const [path = "", anchor = ""] = link.split("#");
        const target = path === "" ? file : relative(book, resolve(book, dirname(file), path));
        const isThere = existsSync(join(book, target));
        if (!isThere || (anchor !== "" && !parts.get(target)?.ids.has(decodeURIComponent(anchor))))
          broken.push(`${file}: ${link}`);
        if (target !== file) reached.add(target);
      }
      const html = readFileSync(join(book, file), "utf8");
      expect(html.match(/<(?:script|img|iframe|source)\b[^>]*\ssrc="(?:https?:)?\/\/[^"]*"/g), file).toBeNull();
      expect(html.match(/<link\b[^>]*\shref="(?:https?:)?\/\/[^"]*"/g), file).toBeNull();
    }
    expect(broken).toEqual([]);
    // The number of a claim, in the prose of any page.
    expect(parts.get("guide.html")?.links).toContain("math/statistics-and-engine.html#m127");
    const helps = [...Object.values(helpPages), ...Object.values(exploreHelp)].map(([docs]) => docs);
    expect(helps.filter((docs) => !isThere(parts, docs))).toEqual([]);
    // Errors lead to the page of their code.
    const codes = Object.keys(errorCodes).map((code) => join("errors", `${code}.html`));
    expect(pages().filter((file) => !reached.has(file) && !codes.includes(file))).toEqual([]);
    expect(codes.filter((file) => !parts.has(file))).toEqual([]);
  });

  test("weighs at most 150 kB a page as it travels, without figures and the index of the search", () => {
    const size = (file: string) => gzipSync(readFileSync(file)).length;
    for (const file of pages()) {
      const html = readFileSync(join(book, file), "utf8").replaceAll(/src(?:set)?="data:[^"]*"/g, "");
      const loads = [...html.matchAll(/(?:src|href)="([^"]*\.(?:js|css))"/g)].map(([, path = ""]) =>
        size(join(book, dirname(file), path)),
      );
      const weight = loads.reduce((sum, one) => sum + one, gzipSync(html).length);
      expect(weight, file).toBeGreaterThan(5_000);
      expect(weight, file).toBeLessThanOrEqual(150_000);
    }
  });
});

/** The server with its own headers: what its policy forbids is a trouble on the console. */
async function server() {
  const folder = temporaryFolder();
  const serving = await serve({ folder, port: 0, webRoot: built });
  return {
    url: serving.url,
    close: async () => {
      await serving.close();
    },
  };
}

describe.skipIf(reason !== null)("the book on a server", () => {
  const at = stage(server);

  test("is accessible, in the light and in the dark, and fits a phone", async () => {
    const visit = await at.visit({ viewport: { width: 390, height: 844 } });
    const files = readdirSync(book, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
    // The pages of the codes are made alike: one of them.
    const waiting = files.filter((file) => !file.startsWith("errors/") || file.includes("QUOTA_EXHAUSTED"));
    expect(waiting.length).toBeGreaterThan(50);
    // Prose has the colours of the front page; figures, programs and long tables of code have their own.
    const hasColours = (file: string) =>
      /^(index|guide|sql|learn\/.+|inside\/.+|sdk\/server|errors\/.+)\.html$/.test(file);
    const readAll = async (page: Page) => {
      for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        await page.goto(`${at.url}/docs/${file}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await expectNoSideways(page);
        await (hasColours(file) ? expectAccessibleInBothThemes(page) : expectAccessibleButColours(page));
      }
    };
    await Promise.all([readAll(visit.page), readAll(await visit.context.newPage())]);
    expect(visit.troubles).toEqual([]);
  });

  test("is searched without another host, and every address that it had leads on", async () => {
    const { page, context, troubles } = await at.visit();
    const asked: string[] = [];
    context.on("request", (request) => asked.push(request.url()));
    await page.goto(`${at.url}/docs/learn/epsilon`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByPlaceholder("Search").fill("first admin");
    await page.getByRole("dialog").getByRole("link", { name: "Who is the first admin?" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Who is the first admin?" }).waitFor();
    await page.goto(`${at.url}/docs/`);
    await page.getByRole("link", { name: "What does ε = 1 mean for one person?" }).click();
    await page.getByRole("heading", { level: 1, name: "What ε = 1 means for one person" }).waitFor();
    expect(asked.filter((url) => !url.startsWith(at.url) && !/^(data|blob):/.test(url))).toEqual([]);
    expect(troubles).toEqual([]);
  });

  test("answers in one click and as the first of a search, and in other words among the first three", async () => {
    const questions = [
      ["add my CSV in the browser", "upload a spreadsheet", "start/own-csv"],
      ["who is first admin", "lost password of the administrator", "start/first-admin"],
      ["what does ε = 1 mean for one person", "meaning of epsilon", "learn/epsilon"],
      ["how do I give a team a budget", "share budget among departments", "do/give-a-budget"],
      ["what happens when it is spent", "no budget left", "do/budget-spent"],
      ["use it from R", "R language", "r"],
      ["is my data safe if the server is stolen", "stolen laptop", "trust/stolen-server"],
      ["cite the theorem", "bibliography", "math"],
      ["add a statistic", "new estimator", "inside/add-a-statistic"],
      ["restore a backup", "recover after disk failure", "operations"],
      ["download and install", "npm package", "start/install"],
    ] as const;
    const { page } = await at.visit();
    await page.goto(`${at.url}/docs/`);
    await page.getByRole("button", { name: "Search" }).click();
    const titles = page.getByRole("dialog").locator(".pagefind-ui__result-title .pagefind-ui__result-link");
    const places = () => titles.evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    for (const [question, otherWords, wanted] of questions) {
      const address = `/docs/${wanted}.html`;
      const link = page.locator(`main a[href="${wanted}.html"], main a[href^="${wanted}.html#"]`);
      expect(await link.count(), wanted).toBeGreaterThan(0);
      await page.getByPlaceholder("Search").fill(question);
      await expect.poll(async () => (await places())[0], { message: question }).toBe(address);
      // Nothing is found by them: the list is empty before the other words are asked.
      await page.getByPlaceholder("Search").fill("");
      await expect.poll(async () => (await places()).length).toBe(0);
      await page.getByPlaceholder("Search").fill(otherWords);
      await expect.poll(async () => (await places()).slice(0, 3), { message: otherWords }).toContain(address);
    }
  });

  test("has figures that move by keys and by dragging, and stand as pictures without a script", async () => {
    const { page, context, troubles } = await at.visit({ viewport: { width: 390, height: 844 } });
    await page.goto(`${at.url}/docs/learn/noise.html`);
    const figure = page.locator("[data-figure=noise]");
    const [slider, sentence, picture] = [
      figure.getByRole("slider", { name: "ε of the count" }),
      figure.locator("figcaption"),
      figure.locator("[data-drag]"),
    ];
    await expect.poll(() => sentence.textContent()).toMatch(/^At ε = 0\.1 a count is within ± 30 /);
    await picture.waitFor();
    await slider.press("Home");
    await expect.poll(() => sentence.textContent()).toMatch(/^At ε = 0\.01 a count is within ± 300 /);
    await picture.scrollIntoViewIfNeeded();
    const box = (await picture.boundingBox())!;
    await page.mouse.move(box.x + 60, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => sentence.textContent()).toMatch(/^At ε = 3 a count is within ± 1 /);
    expect(await slider.getAttribute("aria-valuetext")).toBe("3");
    await expectNoSideways(page);
    for (const name of ["answers", "epsilon", "composition", "quota", "tradeoff-curves", "privacy-at-risk", "blocks"]) {
      await page.goto(`${at.url}/docs/learn/${name}.html`);
      const said = page.locator("[data-figure] figcaption");
      const before = await said.textContent();
      await page.locator("[data-figure] .live-picture > svg").waitFor();
      await page.getByRole("slider").first().press("ArrowRight");
      await expect.poll(() => said.textContent(), { message: name }).not.toBe(before);
      await expectNoSideways(page);
    }
    expect(troubles).toEqual([]);
    await context.close();

    const still = await at.visit({ javaScriptEnabled: false });
    await still.page.goto(`${at.url}/docs/learn/noise.html`);
    expect(await still.page.locator("[data-figure=noise] .live-wide svg").isVisible()).toBe(true);
    expect(await still.page.locator("[data-figure=noise] input").first().isVisible()).toBe(false);
  });

  test("is read from a folder too, and printed without what leads around", async () => {
    const { page } = await at.visit();
    await page.goto(pathToFileURL(join(book, "index.html")).href);
    expect(await page.locator("site-search").isVisible()).toBe(false);
    const spent = page
      .getByRole("navigation", { name: "Main" })
      .getByRole("link", { name: "When the budget is spent" });
    await spent.click();
    await page.getByRole("heading", { level: 1, name: "When the budget is spent" }).waitFor();
    await page.getByRole("link", { name: "QUOTA_EXHAUSTED" }).click();
    await page.getByRole("heading", { level: 1, name: "Errors" }).waitFor();
    expect(await spent.isVisible()).toBe(true);
    await page.emulateMedia({ media: "print" });
    expect(await spent.isVisible()).toBe(false);
  });

  test("of several versions is switched between them on the same page, from a folder", async () => {
    const site = temporaryFolder();
    addVersion(book, site, "0.9.0");
    rmSync(join(site, "0.9.0", "start", "upgrade.html"));
    addVersion(book, site, "0.10.0");
    const { page, context } = await at.visit({ viewport: { width: 390, height: 844 } });
    const goTo = async (version: string, path: string) => {
      await page.getByLabel("Version").selectOption(version);
      await expect.poll(() => page.url()).toBe(pathToFileURL(join(site, version, path)).href);
      await expect.poll(() => page.getByLabel("Version").inputValue()).toBe(version);
    };
    await page.goto(pathToFileURL(join(site, "index.html")).href);
    await expect.poll(() => page.url()).toBe(pathToFileURL(join(site, "0.10.0", "index.html")).href);
    await page.goto(pathToFileURL(join(site, "0.10.0", "learn", "epsilon.html")).href);
    await goTo("0.9.0", "learn/epsilon.html");
    await expectNoSideways(page);
    await goTo("0.10.0", "learn/epsilon.html");
    await page.goto(pathToFileURL(join(site, "0.10.0", "start", "upgrade.html")).href);
    await goTo("0.9.0", "index.html");
    await context.close();
  });
});
