import { readFile } from "node:fs/promises";
import { RISK_SENTENCE } from "@dosimeter/risk";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, fileHost, stage, whyNoBrowser } from "./browser.kit.ts";

const reason = whyNoBrowser();
const panels = ["meaning", "sensitivity", "compensation", "composition"] as const;

describe.skipIf(reason !== null)("Explore → Privacy at risk and Choosing ε, on a plain file host", () => {
  const files = stage(fileHost);

  async function open(path: string, options: BrowserContextOptions = {}) {
    const { context, page, troubles } = await files.visit({ acceptDownloads: true, ...options });
    await page.goto(`${files.host.url}#/explore/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    return { context, page, troubles };
  }

  const see = (page: Page, text: string | RegExp) => page.locator("main").getByText(text).first().waitFor();

  test("compensation starts as the paper's illustration, with the honest variants, and an address can be shared", async () => {
    const { page, troubles } = await open("privacy-at-risk?panel=compensation");
    for (const text of ["34 of 99", "74,434.41", "37,805.86 at 0.274", "36,628.55 (49.2 %)", "9,666.41 (13 %)"])
      await see(page, text);
    await page.getByLabel("Budget B, if fixed").fill("30000");
    await see(page, "The interval is empty");
    await page.getByLabel("Budget B, if fixed").fill("40000");
    await see(page, "0.22008 to 0.32718");
    await page.getByLabel("People").fill("200");
    await see(page, "148,868.81");
    await page.getByLabel("Compensation E").fill("-5");
    await see(page, "This is “-5”, must be a number above 0");
    await page.getByLabel("Compensation E").fill("5500");
    await see(page, "148,868.81");
    await page.waitForURL((url) => url.hash.includes("people=200") && !url.hash.includes("compensation=-5"));
    const shared = await open(page.url().split("#/explore/")[1] ?? "");
    await see(shared.page, "148,868.81");
    expect(await shared.page.getByLabel("Budget B, if fixed").inputValue()).toBe("40000");
    expect([...troubles, ...shared.troubles]).toEqual([]);
  });

  test("sampling happens in a worker, with a bar; too few pairs and private rows are said plainly", async () => {
    const { page, troubles } = await open("privacy-at-risk?panel=sensitivity&pairs=20000&size=300");
    await page.getByRole("button", { name: "Draw pairs" }).click();
    await page.getByRole("progressbar", { name: "Sampling pairs" }).waitFor();
    await page.getByText(/^Sampling pairs: \d+ of 20000/).waitFor();
    await page.getByRole("img", { name: /Sampled sensitivity/ }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/^Stopped at \d+ of 20000/).waitFor();
    await page.getByLabel("Pairs to draw").fill("30");
    await page.getByRole("button", { name: "Draw pairs" }).click();
    await see(page, "Done: 30");
    await see(page, "at least 59 pairs are needed");
    await page.getByLabel("Records", { exact: true }).selectOption("private");
    await see(page, "a sensitivity sampled from private rows leaks them");
    expect(await page.getByRole("button", { name: "Draw pairs" }).isDisabled()).toBe(true);
    expect(troubles).toEqual([]);
  });

  test("a table of one's own stays in the browser and must be stated public", async () => {
    const { page, troubles } = await open("privacy-at-risk?panel=sensitivity&data=own&pairs=200");
    const before = files.host.asked.length;
    const rows = Array.from({ length: 50 }, (_, i) => `${i % 7}`).join("\n");
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "open.csv", mimeType: "text/csv", buffer: Buffer.from(`x\n${rows}\n`) });
    expect(await page.getByRole("button", { name: "Draw pairs" }).isDisabled()).toBe(true);
    await page.getByLabel(/I state that these records are public/).fill("an open register");
    await page.getByRole("button", { name: "Draw pairs" }).click();
    await see(page, "Done: 200");
    await see(page, "public: an open register");
    expect(files.host.asked.slice(before).filter((path) => !/^\/app\/assets\//.test(path))).toEqual([]);
    expect(troubles).toEqual([]);
  });

  test("composition is computed while one looks: what holds, and the published lines with their verdict", async () => {
    const { page, troubles } = await open("privacy-at-risk?panel=composition&most=100");
    await see(page, /^Done: /);
    const last = page.getByRole("row", { name: /^100 / });
    expect((await last.innerText()).replaceAll(/\s+/g, " ")).toContain(
      "100 31.17 28.5 50 56.43 36.49 41.93 17.94 0.03547",
    );
    await see(page, "comes from a wrongly inverted Hoeffding bound");
    await page.getByRole("button", { name: "Figure 11" }).click();
    await page.getByRole("heading", { name: /ε₀ = 1, δ/ }).waitFor();
    expect(troubles).toEqual([]);
  });

  test("counts say not informative; a large ε₀ has its red note; ε beyond ε₀ has confidence 1", async () => {
    const { page, troubles } = await open("privacy-at-risk");
    await see(page, "At level ε = 0.5");
    expect(await page.locator(".notice[data-tone=danger]").count(), "the first view alarms nobody").toBe(0);
    await page.getByLabel("ε₀ (charged)").fill("1");
    await see(page, /0\.881/);
    await page.getByLabel("Level ε to read").fill("2");
    const row = page.getByRole("row", { name: /^1 1 / });
    await row.getByRole("cell", { name: "1", exact: true }).nth(1).waitFor();
    expect((await row.innerText()).replaceAll(/\s+/g, " ")).toMatch(/^1 1 1 0 /);
    await page.getByLabel("Noise", { exact: true }).selectOption("count");
    await see(page, /not informative: the loss is ±ε₀ with certainty/);
    await page.getByLabel("Noise", { exact: true }).selectOption("gaussian");
    await see(page, "Expected shortfall, 95 %");
    await page.getByLabel("Noise", { exact: true }).selectOption("laplace");
    for (const [label, text] of [
      ["ε₀ (charged)", "0"],
      ["ε₀ (charged)", "601"],
      ["Dimension k", "1.5"],
      ["Dimension k", "0"],
    ] as const) {
      const input = page.getByLabel(label);
      const good = await input.inputValue();
      await input.fill(text);
      await see(page, /must be a/);
      await input.fill(good);
    }
    await page.getByLabel("Dimension k").fill("1000000");
    await page.getByRole("row", { name: /^1 1,000,000 / }).waitFor();
    expect(troubles).toEqual([]);
  });

  test("every panel has the sentence, its assumptions, and figures that leave as SVG, CSV and JSON", async () => {
    const { page, troubles } = await open("privacy-at-risk");
    for (const panel of panels) {
      await page.goto(`${files.host.url}#/explore/privacy-at-risk?panel=${panel}`);
      if (panel === "composition") await see(page, /^Done: /);
      await page.getByText(RISK_SENTENCE).waitFor();
      await page.getByRole("heading", { name: "What this assumes" }).waitFor();
      const figure = page.locator("figure").first();
      for (const kind of ["SVG", "CSV", "JSON"]) {
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          figure.getByRole("button", { name: new RegExp(`as ${kind}$`) }).click(),
        ]);
        const text = await readFile(await file.path(), "utf8");
        expect(text.length, `${panel} ${kind}`).toBeGreaterThan(200);
        if (kind === "JSON") expect(JSON.parse(text).rows.length).toBeGreaterThan(2);
      }
      await figure.getByRole("button", { name: "View as table" }).click();
      await expect.poll(() => figure.getByRole("row").count()).toBeGreaterThan(3);
    }
    expect(troubles).toEqual([]);
  });

  test("the keyboard walks the panels", async () => {
    const { page } = await open("privacy-at-risk");
    await page.getByRole("tab", { name: "What does ε mean?" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tab", { name: "Sampled sensitivity", selected: true }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tab", { name: "Compensation budget", selected: true }).waitFor();
    await page.waitForURL(/panel=compensation/);
    await page.keyboard.press("Tab");
    await see(page, "74,434.41");
  });

  test("choosing ε: each answer moves the range with its reason; δ above 1/n is warned about; wishes can conflict", async () => {
    const { page, troubles } = await open("epsilon");
    await page.getByRole("heading", { level: 1, name: "Choosing ε" }).waitFor();
    await see(page, /^A lifetime ε from 0\.5 to 2\.2/);
    await page.getByLabel("How sensitive is the data?").selectOption("dangerous");
    await see(page, /^A lifetime ε from 0\.5 to 0\.549/);
    await page.getByLabel("People, as declared (n)").fill("100000");
    await page.getByLabel("δ of the lifetime").fill("0.0001");
    await see(page, /δ = 0\.0001 is above 1\/n/);
    await page.getByLabel("People, as declared (n)").fill("100");
    await see(page, "These requirements conflict");
    await page.getByText(RISK_SENTENCE).waitFor();
    await page.waitForURL(/sensitivity=dangerous/);
    expect(troubles).toEqual([]);
  });

  test("nothing serious from axe in the light and in the dark, nothing sideways on a phone", async () => {
    const { page } = await open("privacy-at-risk", { viewport: { width: 390, height: 844 } });
    for (const path of [...panels.map((panel) => `privacy-at-risk?panel=${panel}`), "epsilon"]) {
      await page.goto("about:blank");
      await page.goto(`${files.host.url}#/explore/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      if (path.endsWith("composition")) await see(page, /^Done: /);
      await page
        .locator("figure svg[role=img]")
        .first()
        .waitFor({ state: path.endsWith("sensitivity") ? "attached" : "visible" });
      await expectNoSideways(page);
      await expectAccessibleInBothThemes(page);
    }
  });
});
