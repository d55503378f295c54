import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("columns of another table of the same people", () => {
  const demo = stage(openDemo);

  const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });

  test.each([
    [1440, "light"],
    [390, "dark"],
  ] as const)("are taken, used, released and named at %i px, %s", async (width, colorScheme) => {
    const { page, troubles } = await signedIn(demo, "Ana", { viewport: { width, height: 900 }, colorScheme });
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "adults", exact: true }).first().click();
    await page.getByRole("link", { name: "Plan a release" }).click();
    await page.getByRole("button", { name: "Mean of Age", exact: true }).click();

    await page.getByText(/^Columns of another table/).click();
    await field(page, "Name of the column").fill("visits");
    await field(page, "At least").fill("0");
    await field(page, "At most").fill("20");
    await field(page, "Which rows count").fill("season = 'spring'");
    await page.getByText(/visits\.where\.column is .season., must be one of/).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Take the column" }).isDisabled()).toBe(true);
    await field(page, "Which rows count").fill("month <= 6");
    await page.getByText("Will be a whole number from 0 to 20.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Take the column" }).press("Enter");
    await page.getByRole("rowheader", { name: "visits", exact: true }).waitFor();

    await field(page, "Name of the column").fill("last kind");
    await page.getByLabel("Of each person’s rows in visits").selectOption({ label: "last" });
    await page.getByLabel("Column of that table").selectOption("kind");
    await page.getByLabel("In the order of").selectOption("month");
    await page.getByRole("button", { name: "Take the column" }).press("Enter");
    await page.getByRole("rowheader", { name: "last kind", exact: true }).waitFor();
    await page.getByRole("cell", { name: "last kind by month" }).waitFor();
    await expectNoSideways(page);

    // The pickers name them with their table.
    const row = page.getByRole("row", { name: /^Statistic 1:/ });
    await row.locator('[data-label="Variable"]').press("Enter");
    await row.getByRole("combobox").selectOption({ label: "visits (visits)" });
    await page.getByRole("row", { name: /^Statistic 1: mean of visits/i }).waitFor();
    await expectAccessible(page);
    if (width === 390) return;

    await page.getByRole("button", { name: "Review and release" }).click();
    const review = page.getByRole("dialog");
    await review.getByRole("checkbox").check();
    await review.getByRole("button", { name: /^Spend/ }).click();
    await page.getByRole("heading", { level: 1, name: /^Mean of visits/ }).waitFor();
    await page.getByRole("link", { name: "visits", exact: true }).first().waitFor();
    await expect.poll(() => page.getByText("joined with").count()).toBeGreaterThan(0);
    expect(troubles).toEqual([]);
  });
});
