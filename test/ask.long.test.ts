import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("a question", () => {
  const demo = stage(openDemo);

  test("is asked on the home page and answered in three actions", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    let actions = 0;
    const act = async (one: Promise<unknown>): Promise<void> => {
      actions++;
      await one;
    };
    await line(page, "adults").fill("how many people by sex?");
    await act(line(page, "adults").press("Enter"));
    await page.waitForURL(/\/datasets\/adults\/plan/);
    await statistic(page, 1).waitFor();
    expect(page.url(), "opened again, the address asks nothing twice").not.toContain("ask=");
    expect(await line(page, "adults").inputValue()).toBe("");
    const review = page.getByRole("button", { name: "Review and release" });
    await expect.poll(() => review.isEnabled()).toBe(true);
    await act(review.click());
    const spend = page.getByRole("button", { name: /^Spend ε .* and release$/ });
    await spend.waitFor();
    await act(spend.click());
    await page.getByText("Receipt and exact statement").waitFor();
    await page
      .getByText(/^Number of people by Sex/)
      .first()
      .waitFor();
    expect(actions).toBeLessThanOrEqual(3);
    expect(troubles).toEqual([]);
  });

  test("shows as chips what is understood, and says which word is not, with what was meant", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    const ask = page.getByRole("search", { name: "Ask adults" });
    const before = await page.getByRole("heading", { name: "What you can spend" }).boundingBox();
    await line(page, "adults").fill("mean incom by education where age over 30");
    await missed(ask, "“incom” is no column, statistic or value here").waitFor();
    await line(page, "adults").press("Enter");
    await ask.getByRole("button", { name: "Income a year?" }).click();
    for (const chip of ["of Income a year", "by Highest schooling", "where age > 30"])
      await ask.getByRole("button", { name: `Leave out ${chip}` }).waitFor();
    expect(await page.getByRole("heading", { name: "What you can spend" }).boundingBox(), "nothing moves").toEqual(
      before,
    );
    expect(new URL(page.url()).pathname, "a word that is not understood asks nothing").toBe("/");

    await ask.getByLabel("Change Statistic mean").selectOption("median");
    await expect
      .poll(() => line(page, "adults").inputValue())
      .toBe("median of Income a year by Highest schooling where age > 30");
    await ask.getByRole("button", { name: "Leave out by Highest schooling" }).click();
    await expect.poll(() => line(page, "adults").inputValue()).toBe("median of Income a year where age > 30");
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSideways(page);

    await line(page, "adults").fill("purple monkey dishwasher");
    await missed(ask, "“purple” is no column").waitFor();
    await line(page, "adults").press("Enter");
    await line(page, "adults").fill("how many women of the moon");
    await missed(ask, "“moon” is no column").waitFor();
    await ask.getByRole("button", { name: "Ask without it" }).click();
    await page.waitForURL(/\/datasets\/adults\/plan/);
    await statistic(page, 1).getByText("count").first().waitFor();
    expect(await ask.locator(".ask-missed").count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  test("is typed, completed and asked by keys alone, of another dataset, in its plan and in Ctrl K; SQL too", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    await page.getByLabel("Dataset that is asked").selectOption("visits");
    await line(page, "visits").focus();
    await page.keyboard.type("mean cos");
    await page.getByRole("option", { name: /^Cost/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await line(page, "visits").getAttribute("aria-activedescendant")).not.toBeNull();
    await page.keyboard.press("Enter");
    await expect.poll(() => line(page, "visits").inputValue()).toBe("mean Cost ");
    await page.keyboard.type("by kind");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/datasets\/visits\/plan/);
    await statistic(page, 1).waitFor();

    await line(page, "visits").fill("SELECT COUNT(*), MEDIAN(cost) FROM visits");
    await line(page, "visits").press("Enter");
    await statistic(page, 3).waitFor();
    await line(page, "visits").fill("SELECT * FROM visits");
    await page
      .getByText(/line 1, column 8/)
      .first()
      .waitFor();

    // From the line to the review in at most eight steps.
    await line(page, "visits").fill("");
    await line(page, "visits").focus();
    const review = page.getByRole("button", { name: "Review and release" });
    await expect.poll(() => review.isEnabled()).toBe(true);
    let tabs = 0;
    while (tabs < 20 && !(await review.evaluate((one) => one === document.activeElement))) {
      await page.keyboard.press("Tab");
      tabs++;
    }
    expect(tabs).toBeLessThanOrEqual(8);

    // The statistics of a row, in their families.
    const cell = statistic(page, 1).locator('[data-label="Statistic"]');
    await cell.press("Enter");
    for (const family of ["How many", "Averages and totals", "Two columns together"])
      await page.getByText(family, { exact: true }).waitFor();
    await page.keyboard.type("std");
    await page.getByRole("option", { name: "standard deviation" }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press("Enter");
    await statistic(page, 1).getByText("standard deviation").first().waitFor();

    await page.goto(demo.url);
    await page.getByLabel("Dataset that is asked").selectOption("visits");
    await page.reload();
    await line(page, "visits").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^A page, dataset/ }).fill("average cost by kind");
    await page.getByRole("option", { name: /^Ask: mean of Cost by Kind of visit/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/datasets\/visits\/plan/);
    await statistic(page, 1).waitFor();
    expect(troubles).toEqual([]);
  });
});

const line = (page: Page, dataset: string): Locator => page.getByRole("combobox", { name: `Ask ${dataset}` });
const missed = (ask: Locator, text: string): Locator => ask.locator(".ask-missed", { hasText: text });
const statistic = (page: Page, number: number): Locator =>
  page.getByRole("row", { name: new RegExp(`^Statistic ${number}:`) });
