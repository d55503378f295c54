import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, fileHost, stage, whyNoBrowser } from "./browser.kit.ts";

const reason = whyNoBrowser();
const address = (curves: unknown) => `#/explore/trade-offs?curves=${encodeURIComponent(JSON.stringify(curves))}`;

describe.skipIf(reason !== null)("Explore → Trade-offs, on a plain file host", () => {
  const files = stage(fileHost);

  test("curves are added, moved, composed in the background, and shared by their address", async () => {
    const { page, context, troubles } = await files.visit({ viewport: { width: 1440, height: 1000 } });
    await page.goto(`${files.host.url}#/explore/trade-offs`);
    await page.getByRole("heading", { name: "Trade-offs", level: 1 }).waitFor();
    await page.getByRole("img", { name: /Type II against type I error of 2 curves/ }).waitFor();

    await page.getByRole("button", { name: "Laplace" }).click();
    const rows = page.getByRole("table").getByRole("row");
    await expect.poll(() => rows.count()).toBe(4);
    expect(await rows.nth(3).textContent()).toContain("1-Laplacenone, it is smooth0.97282.72 %");

    const slider = page.getByRole("slider", { name: "μ" }).first();
    await slider.focus();
    await slider.press("ArrowRight");
    await expect.poll(() => rows.nth(2).textContent()).toMatch(/^1\.1-GDP/);

    await page.getByRole("button", { name: "Composition" }).click();
    await expect.poll(() => rows.count()).toBe(5);
    await expect.poll(() => page.url()).toContain("together");

    const other = await context.newPage();
    await other.goto(page.url());
    await expect.poll(() => other.getByRole("table").getByRole("row").count()).toBe(5);
    expect(troubles).toEqual([]);
  });

  test("points come from a CSV file, and what is wrong with one is said", async () => {
    const page = await files.browser.newPage();
    await page.goto(`${files.host.url}${address([{ gdp: 1 }])}`);
    await page.getByRole("button", { name: "Points from CSV" }).waitFor();
    const choose = page.locator('input[type="file"]');
    const csv = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
    await choose.setInputFiles(csv("bad.csv", "alpha,beta\n0.5,0.6\n"));
    await page.getByText("above 1 - alpha").waitFor();
    await choose.setInputFiles(csv("attack.csv", "beta,alpha\n0.92,0.05\n0.7,0.25\n"));
    await page.getByRole("img", { name: /attack allows/ }).waitFor();
    await page.close();
  });

  test("the axes change, and the picture, its table and its files are there", async () => {
    const page = await files.browser.newPage({ acceptDownloads: true });
    await page.goto(`${files.host.url}${address([{ epsdelta: [1, 0.01] }, { gdp: 1 }])}`);
    await page.getByText("Rates, log").click();
    await page.getByRole("img", { name: /True against false positive rate of 2 curves/ }).waitFor();
    await expect.poll(() => page.url()).toContain("axes=log");
    for (const [name, file] of [
      ["PNG", "trade-offs.png"],
      ["Download What an attacker can do as SVG", "what-an-attacker-can-do.svg"],
    ] as const) {
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      expect(saved.suggestedFilename()).toBe(file);
    }
    await page.getByRole("button", { name: "View as table" }).click();
    await page
      .getByRole("cell", { name: "0.0724" })
      .or(page.getByRole("cell", { name: /0\.907/ }))
      .first()
      .waitFor();
    await page.close();
  });

  test.each([1440, 390])("is accessible, in the light and in the dark, and fits %d px", async (width) => {
    const { page } = await files.visit({ viewport: { width, height: 900 } });
    await page.goto(
      `${files.host.url}${address([{ epsdelta: [1, 0.01] }, { gdp: 1 }, { lap: 2 }, { together: [[0, 2]] }])}`,
    );
    await page.getByRole("img", { name: /of 4 curves/ }).waitFor();
    await expectNoSideways(page);
    await expectAccessibleInBothThemes(page);
  });
});
