import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { built, expectAccessibleInBothThemes, expectNoSideways, fileHost, stage, whyNoBrowser } from "./browser.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("the built pages on a plain file host", () => {
  const files = stage(fileHost);

  test("show Explore, follow its links, and ask the host for nothing but their own files", async () => {
    const { page, troubles } = await files.visit();
    await page.goto(files.host.url);
    await page.getByRole("heading", { name: "Explore", level: 1 }).waitFor();
    expect(page.url()).toBe(`${files.host.url}#/explore`);
    expect(await page.getByRole("link", { name: "Datasets" }).count()).toBe(0);
    const links = await page.locator("main .cards a").evaluateAll((all) => all.map((link) => link.textContent ?? ""));
    expect(links.length).toBeGreaterThan(0);
    for (const name of links) {
      await page.goto(files.host.url);
      await page.locator("main").getByRole("link", { name }).click();
      await page.getByRole("heading", { name, level: 1 }).waitFor();
      expect(await page.getByRole("link", { name: /^Help: / }).getAttribute("href"), name).toMatch(/^docs\/.+\.html/);
    }
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.goto(files.host.url);
    await page.getByRole("link", { name: "Help: what an answer can reveal" }).press("Enter");
    await page.getByRole("heading", { name: "What can an answer reveal?", level: 1 }).waitFor();
    expect(troubles).toEqual([]);
    expect(files.host.asked.filter((path) => !path.startsWith("/app/"))).toEqual([]);
  });

  test("are accessible, in the light and in the dark, and fit a phone", async () => {
    const { page } = await files.visit({ viewport: { width: 390, height: 844 } });
    for (const path of ["#/explore", "#/explore/plan", "#/explore/epsilon", "#/no-such-page"]) {
      await page.goto(`${files.host.url}${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectNoSideways(page);
      await expectAccessibleInBothThemes(page);
    }
  });

  test("a chart has its table and its files", async () => {
    const { page } = await files.visit();
    await page.goto(`${files.host.url}#/explore/epsilon`);
    const figure = page.locator("figure").first();
    await figure.getByRole("img", { name: /At ε/ }).waitFor();
    await figure.getByRole("button", { name: "View as table" }).click();
    await expect.poll(() => figure.getByRole("row").count()).toBeGreaterThan(20);
    const [svg] = await Promise.all([
      page.waitForEvent("download"),
      figure.getByRole("button", { name: /as SVG/ }).click(),
    ]);
    expect(svg.suggestedFilename()).toBe("error-of-a-count.svg");
  });
});

/** The files of script that a page loads before it draws: the entry, the page, and everything either imports statically. */
function firstLoad(page: string): { readonly files: number; readonly bytes: number } {
  const assets = join(built, "assets");
  const html = readFileSync(join(built, "index.html"), "utf8");
  const files = new Set([...html.matchAll(/assets\/([\w.-]+\.js)/g)].map(([, file = ""]) => file));
  const own = readdirSync(assets).filter((file) => file.startsWith(`${page}-`) && file.endsWith(".js"));
  expect(own).toHaveLength(1);
  for (const file of own) files.add(file);
  for (const file of files) {
    const text = readFileSync(join(assets, file), "utf8");
    for (const [, name = ""] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) files.add(name);
  }
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(assets, file))).length, 0);
  return { files: files.size, bytes };
}

test.skipIf(reason !== null).each([
  ["Home", 236_000],
  ["DatasetPage", 301_000],
  ["PlanPage", 353_000],
  ["Plan", 345_000],
  ["ReleasePage", 355_500],
  ["Requests", 203_000],
])("%s loads at most %i B of compressed script, in at most 12 files", (page, most) => {
  expect(statSync(join(built, "index.html")).size).toBeLessThan(5_000);
  const { files, bytes } = firstLoad(page);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThanOrEqual(most);
  expect(files).toBeLessThanOrEqual(12);
});

test.skipIf(reason !== null)("every script and style sheet stands there compressed too", () => {
  const assets = join(built, "assets");
  const files = readdirSync(assets).filter((file) => /\.(js|css)$/.test(file));
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const plain = readFileSync(join(assets, file));
    expect(brotliDecompressSync(readFileSync(join(assets, `${file}.br`))).equals(plain), file).toBe(true);
  }
});

test.skipIf(reason !== null)("the style sheet has the classes of every component that the scripts name", () => {
  const text = (folder: string, extension: string) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(extension))
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .join("\n");
  const classesIn = (code: string) => new Set(code.match(/\bm_[0-9a-f]{7,8}\b/g));
  const assets = join(built, "assets");
  const [named, styled] = [classesIn(text(assets, ".js")), classesIn(text(assets, ".css"))];
  const whole = classesIn(readFileSync(join(import.meta.dirname, "../node_modules/@mantine/core/styles.css"), "utf8"));
  expect(styled.size).toBeGreaterThan(50);
  expect([...named].filter((name) => whole.has(name) && !styled.has(name))).toEqual([]);
});
