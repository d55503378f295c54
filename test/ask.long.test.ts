import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("a question", () => {
  const demo = stage(openDemo);

  test("shows what its answer could look like, and is released in three actions, by keys alone", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    const sent: string[] = [];
    page.on("request", (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await line(page, "adults").fill("how many people by sex?");
    const card = preview(page);
    await expect.poll(() => card.getByRole("img").count()).toBeGreaterThan(0);
    await card.getByText(/of what you have$/).waitFor();
    await card.getByText("useful from").waitFor();
    const slider = card.getByRole("slider", { name: /^Price of number of people by Sex/i });
    const priceAndError = async (): Promise<readonly number[]> =>
      ((await slider.getAttribute("aria-valuetext")) ?? "").match(/[\d.]+/g)?.map(Number) ?? [];
    const [price = 0, error = 0] = await priceAndError();
    for (let step = 0; step < 5; step++) await slider.press("ArrowRight");
    const [dearer = 0, closer = 0] = await priceAndError();
    expect(dearer).toBeGreaterThan(price);
    expect(closer).toBeLessThan(error);
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSideways(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(
      sent.filter((each) => /releases$/.test(each) && each.startsWith("POST")),
      "nothing is read",
    ).toEqual([]);

    let [actions, tabs] = [0, 0];
    const act = async (key: string): Promise<void> => {
      actions++;
      await page.keyboard.press(key);
    };
    await line(page, "adults").focus();
    await act("Enter");
    const spend = page.getByRole("button", { name: /^Spend ε .* and release$/ });
    await spend.waitFor();
    while (tabs < 20 && !(await spend.evaluate((one) => one === document.activeElement))) {
      await page.keyboard.press("Tab");
      tabs++;
    }
    expect(tabs).toBeLessThanOrEqual(8);
    await act("Enter");
    await page.getByText("Receipt and exact statement").waitFor();
    await page
      .getByText(/^Number of people by Sex/)
      .first()
      .waitFor();
    expect(actions).toBeLessThanOrEqual(3);

    // Asked once, it is offered on an empty line, and free.
    await page.goto(demo.url);
    await line(page, "adults").focus();
    await page.getByRole("search", { name: "Ask adults" }).locator("[role=listbox]").waitFor({ state: "attached" });
    await page.keyboard.press("ArrowDown");
    await page
      .getByRole("option", { name: /by Sex\s?asked before: free$/ })
      .first()
      .click();
    await preview(page)
      .getByText(/^Answered before: ± .*, and free\.$/)
      .waitFor();
    await preview(page).getByText("nothing is paid").waitFor();
    // Below another question too.
    const asked = await line(page, "adults").inputValue();
    await line(page, "adults").fill("median age");
    await page.getByText("People also asked, free to read:").getByRole("button", { name: asked.trim() }).click();
    await expect.poll(() => line(page, "adults").inputValue()).toBe(asked.trim());
    expect(await line(page, "adults").evaluate((one) => one === document.activeElement)).toBe(true);
    await preview(page).getByText("nothing is paid").waitFor();
    await preview(page).getByRole("button", { name: "Review and release" }).click();
    await page.getByRole("button", { name: "Release, spending nothing" }).waitFor();
    expect(troubles).toEqual([]);
  });

  test("shows as chips what is understood, and says which word is not, with what was meant", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    const ask = page.getByRole("search", { name: "Ask adults" });
    const before = await page.getByRole("heading", { name: "What you can spend" }).boundingBox();
    await line(page, "adults").fill("mean incom by education where age over 30");
    await missed(ask, "“incom” is no column, statistic or value here").waitFor();
    expect(await page.getByRole("heading", { name: "What you can spend" }).boundingBox(), "nothing moves").toEqual(
      before,
    );
    await line(page, "adults").press("Enter");
    await ask.getByRole("button", { name: "Income a year?" }).click();
    for (const chip of ["of Income a year", "by Highest schooling", "where age > 30"])
      await ask.getByRole("button", { name: `Leave out ${chip}` }).waitFor();
    expect(new URL(page.url()).pathname, "a word that is not understood asks nothing").toBe("/");

    await ask.getByLabel("Change Statistic mean").selectOption("median");
    await expect
      .poll(() => line(page, "adults").inputValue())
      .toBe("median of Income a year by Highest schooling where age > 30");
    await ask.getByRole("button", { name: "Leave out by Highest schooling" }).click();
    await expect.poll(() => line(page, "adults").inputValue()).toBe("median of Income a year where age > 30");
    await ask.getByRole("button", { name: "Change where age > 30" }).click();
    const value = page.getByRole("textbox", { name: "Value of condition 1" });
    await value.fill("40");
    await expectAccessibleInBothThemes(page);
    await value.press("Enter");
    await expect.poll(() => line(page, "adults").inputValue()).toBe("median of Income a year where age > 40");
    await page.getByLabel("Comparison of condition 1").selectOption("<=");
    await expect.poll(() => line(page, "adults").inputValue()).toBe("median of Income a year where age <= 40");
    await page.keyboard.press("Escape");
    await preview(page).getByRole("slider").waitFor();
    await line(page, "adults").fill("mean income capped at 90000 where married = true");
    await ask.getByRole("button", { name: "Change capped at 90000" }).click();
    await page.getByRole("textbox", { name: "Value: capped at 90000" }).fill("80000");
    await page.keyboard.press("Enter");
    await expect.poll(() => line(page, "adults").inputValue()).toMatch(/capped at 80000/);
    await page.keyboard.press("Escape");
    await line(page, "adults").fill("averge income by education where age over 30,5");
    await missed(ask, "“averge” is no column").waitFor();
    await missed(ask, "is the comma a point").waitFor();
    await ask.getByRole("button", { name: "Leave out by Highest schooling" }).waitFor();
    await ask.getByLabel("Change the statistic").selectOption("mean");
    await expect.poll(() => line(page, "adults").inputValue()).toBe("mean of Income a year by Highest schooling");
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSideways(page);

    await line(page, "adults").fill("purple monkey dishwasher");
    await missed(ask, "“purple” is no column").waitFor();
    await line(page, "adults").press("Enter");
    await line(page, "adults").fill("how many women of the moon");
    await missed(ask, "“moon” is no column").waitFor();
    await ask.getByRole("button", { name: "Ask without it" }).click();
    await page.getByRole("dialog", { name: "Review and release" }).waitFor();
    await page.getByRole("button", { name: "Back to the plan" }).click();
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
    await preview(page).getByRole("link", { name: "Open as a plan" }).press("Enter");
    await page.waitForURL(/\/datasets\/visits\/plan/);
    await statistic(page, 1).waitFor();
    expect(page.url(), "opened again, the address asks nothing twice").not.toContain("ask=");

    // The same line on the page of the dataset.
    await page.getByRole("navigation").getByRole("link", { name: "visits" }).first().click();
    await page.getByRole("tab", { name: "Overview" }).waitFor();
    await line(page, "visits").fill("count by kind");
    await preview(page).getByRole("slider").waitFor();
    await page.goBack();
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
    await page.waitForURL(/\/datasets\/visits\?tab=overview/);
    expect(await line(page, "visits").inputValue()).toBe("average cost by kind");
    const slider = preview(page).getByRole("slider");
    await slider.waitFor();

    // The card's price goes along into the plan.
    for (let step = 0; step < 7; step++) await slider.press("ArrowRight");
    const [price = ""] = ((await slider.getAttribute("aria-valuetext")) ?? "").match(/[\d.]+/) ?? [];
    await preview(page).getByRole("link", { name: "Open as a plan" }).click();
    await page.waitForURL(/\/datasets\/visits\/plan/);
    const shares = page.getByRole("row", { name: /^Statistic/ }).locator('[data-label="Share of ε"]');
    await expect.poll(() => shares.last().textContent()).toContain(price);

    // What a mark in the settings explains is read without closing them.
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    const settings = page.locator(".plan-budget");
    await settings.getByRole("button", { name: "What is Confidence?" }).click();
    await page.getByText("How often the stated errors hold").click();
    expect(await settings.isVisible()).toBe(true);
    await expectAccessibleInBothThemes(page);
    expect(troubles).toEqual([]);
  });

  test("is there again after a reload, and after a session that ended over its review", async () => {
    const { page, context } = await signedIn(demo, "Ana");
    const asked = "median age by sex where age over 30";
    await line(page, "adults").fill(asked);
    await preview(page).getByRole("slider").waitFor();
    await page.reload();
    await expect.poll(() => line(page, "adults").inputValue()).toBe(asked);
    for (let step = 0; step < 7; step++) await preview(page).getByRole("slider").press("ArrowRight");
    await preview(page).getByRole("button", { name: "Review and release" }).click();
    const review = page.getByRole("dialog", { name: "Review and release" });
    const attested = page.getByLabel("The bounds, bins and filters were not read from the data.");
    await attested.check();
    const spend = page.getByRole("button", { name: /^Spend ε .* and release$/ });
    const endedOver = async (): Promise<void> => {
      const price = await spend.textContent();
      await context.clearCookies();
      // Whatever of the page asks first hears of it.
      await spend.click({ timeout: 5000 }).catch(() => undefined);
      await page.getByText("Your session has ended", { exact: true }).waitFor();
      await pictured(page, "ended");
      await page.getByRole("button", { name: /^Continue as Ana/ }).click();
      await review.waitFor();
      expect(await spend.textContent()).toBe(price);
    };
    await endedOver();
    expect(await attested.isChecked(), "nothing is said again, nor released, by itself").toBe(false);
    await pictured(page, "back");

    // Closed, it stays closed; released, it is done.
    await page.keyboard.press("Escape");
    await page.reload();
    await expect.poll(() => line(page, "adults").inputValue()).toBe(asked);
    await preview(page).getByRole("slider").waitFor();
    expect(await review.count()).toBe(0);
    await preview(page).getByRole("button", { name: "Review and release" }).click();
    await attested.check();
    // At the price that was suggested too.
    await endedOver();
    await attested.check();
    await spend.click();
    await page.getByText("Receipt and exact statement").waitFor();
    await page.goto(demo.url);
    expect(await line(page, "adults").inputValue()).toBe("");
    await line(page, "adults").fill("everyone except women over 30");
    await missed(page.getByRole("search", { name: "Ask adults" }), "is the second left out as well").waitFor();
    await pictured(page, "unclear");
    await expectAccessibleInBothThemes(page);
  });

  test("Ctrl K leaves to the docs what says nothing of the dataset", async () => {
    const { page } = await signedIn(demo, "Ana");
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: /^A page, dataset/ });
    for (const [text, first] of [
      ["how many women", /^Ask: /],
      ["share an answer with a colleague", /^A page for colleagues/],
      ["how much does it cost to ask", /^What does an answer cost/],
      ["average error of an answer", /^(?:Noise and error|Errors and intervals)/],
    ] as const) {
      await field.fill(text);
      await page.getByRole("option", { name: first }).first().waitFor();
      if (!text.startsWith("how many"))
        expect(await page.getByRole("option", { name: /^Ask: / }).count(), text).toBe(0);
    }
  });

  test("offers what others asked as free only about the rows that are there now", async () => {
    const [ana, dana] = [await signedIn(demo, "Ana"), await signedIn(demo, "Dana")];
    const also = ana.page.getByText("People also asked, free to read:");
    const ask = async () => {
      await ana.page.goto(demo.url);
      await line(ana.page, "visits").or(line(ana.page, "adults")).waitFor();
      await ana.page.getByLabel("Dataset that is asked").selectOption("adults");
      await line(ana.page, "adults").fill("mean age");
      await preview(ana.page).getByRole("slider").waitFor();
    };
    await ask();
    await also.waitFor();
    const status = await dana.page.evaluate(async () => {
      const { items } = (await (await fetch("/v1/datasets")).json()) as { items: { id: string; name: string }[] };
      const address = `/v1/datasets/${items.find(({ name }) => name === "adults")?.id}`;
      const { declaration } = (await (await fetch(address)).json()) as { declaration: unknown };
      const headers = { "x-dosimeter": "1", "content-type": "application/json" };
      const body = JSON.stringify({ declaration });
      return (await fetch(`${address}/versions`, { method: "POST", headers, body })).status;
    });
    expect(status).toBe(201);
    const listed = ana.page.waitForResponse((response) => response.url().includes("/released"));
    await ask();
    await listed;
    await expect.poll(() => also.count()).toBe(0);
  });
});

/** Where screenshots go, if anywhere. */
const pictures = process.env.TEST_PICTURES;

async function pictured(page: Page, name: string): Promise<void> {
  for (const colorScheme of pictures === undefined ? [] : (["light", "dark"] as const))
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${pictures}/ask-${name}-${width}-${colorScheme}.png` });
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

const line = (page: Page, dataset: string): Locator => page.getByRole("combobox", { name: `Ask ${dataset}` });
const preview = (page: Page): Locator => page.getByRole("region", { name: "What the answer could look like" });
const missed = (ask: Locator, text: string): Locator => ask.locator(".ask-missed", { hasText: text });
const statistic = (page: Page, number: number): Locator =>
  page.getByRole("row", { name: new RegExp(`^Statistic ${number}:`) });
