// Takes every page at 1440 and 390 px, light and dark, into /screenshots, for people to look at: `npm run screenshots`.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launch, openDemo } from "../test/demo.kit.ts";

const folder = join(import.meta.dirname, "..", "screenshots");
await mkdir(folder, { recursive: true });
const [browser, demo] = await Promise.all([launch(), openDemo()]);

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.waitForFunction(() => document.querySelector(".mantine-Skeleton-root") === null);
  await page.evaluate(() => scrollTo(0, 0));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(250); // colours fade from one theme to the other
    await page.screenshot({
      path: join(folder, `${name}-${page.viewportSize()?.width}-${colorScheme}.png`),
      fullPage: true,
    });
  }
}

for (const width of [1440, 390]) {
  const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 900 } });
  const page = await context.newPage();
  const see = async (path: string, name: string) => {
    await page.goto(new URL(path, demo.url).href);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await take(page, name);
  };
  await see("/sign-in", "sign-in");
  await see("/explore", "explore");
  const explored = await page
    .locator("main .cards a")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  for (const path of explored) await see(path, path.replaceAll("/", "-").slice(1));

  await page.goto(await demo.link(process.argv[2] ?? "Ana"));
  await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
  await take(page, "home");
  await see("/datasets", "datasets");
  await page.locator("main tbody a").first().click();
  await page.getByRole("heading", { name: "Released answers" }).waitFor();
  await take(page, "dataset");
  for (const tab of ["Columns", "Budget", "Ledger", "Governance"]) {
    // What a person may not see has no tab.
    if ((await page.getByRole("tab", { name: tab }).count()) === 0) continue;
    await page.getByRole("tab", { name: tab }).click();
    await page.getByRole("tabpanel", { name: tab }).locator("section").first().waitFor();
    await take(page, `dataset-${tab.toLowerCase()}`);
  }
  await page.getByRole("link", { name: "Plan a release" }).click();
  await page.getByRole("button", { name: "Add a statistic" }).waitFor();
  await take(page, "plan-empty");
  await page.getByRole("button", { name: "Count", exact: true }).click();
  for (const [row, statistic, variable] of [
    [2, "mean", "age"],
    [3, "histogram", "education"],
  ] as const) {
    await page.getByRole("button", { name: "Add a statistic" }).click();
    for (const [heading, value] of [
      ["Statistic", statistic],
      ["Variable", variable],
    ] as const) {
      const cell = page
        .getByRole("row", { name: new RegExp(`^Statistic ${row}:`) })
        .locator(`[data-label="${heading}"]`);
      await cell.press("Enter");
      await cell.locator("select").selectOption(value);
      await page.keyboard.press("Enter");
    }
  }
  await page.getByText("fits", { exact: true }).waitFor();
  await take(page, "plan");
  await page.getByRole("button", { name: "Review and release" }).click();
  await page.getByRole("checkbox", { name: /not read from the data/ }).check();
  await take(page, "review");
  // In the narrow window the earlier answers serve every row.
  await page.getByRole("button", { name: /^Spend|spending nothing$/ }).click();
  await page.getByText("Receipt and exact statement").waitFor();
  await take(page, "release");
  await see("/releases", "releases");
  await page.goto(`${demo.url}/datasets`);
  await page.locator("main tbody a").first().click();
  await page.getByRole("link", { name: "Plan a release" }).click();
  await page.getByRole("button", { name: "Count", exact: true }).click();
  const share = page.getByRole("row", { name: /^Statistic 1:/ }).locator('[data-label="Share of ε"]');
  await share.press("F2");
  await share.locator("input").fill("400");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /does not fit$/ }).waitFor();
  await take(page, "plan-refused");
  await see("/no-such-page", "not-found");
  if (width === 390) {
    await page.getByRole("button", { name: "Open the menu" }).click();
    await take(page, "menu");
  }
  await context.close();
}
await browser.close();
await demo.close();
console.log(`Pictures of every page are in ${folder}`);
