import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { built, expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openCensus } from "./census.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("conditions of a statistic as rows", () => {
  const census = stage(() => openCensus(built));

  async function openCondition(width: number, colorScheme: "light" | "dark") {
    const { page, troubles } = await signedIn(census, "", { viewport: { width, height: 900 }, colorScheme });
    await page.goto(`${census.host.url}/datasets/${census.host.dataset}/plan`);
    await page.getByRole("button", { name: "Mean of age", exact: true }).click();
    await page
      .getByRole("row", { name: /^Statistic 1:/ })
      .locator('[data-label="Settings"]')
      .press("Enter");
    const text = page.getByLabel("Only rows where");
    await text.waitFor();
    return { page, troubles, text };
  }
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
  const says = (text: Locator) => expect.poll(() => text.inputValue());

  test("rows write the text, the text writes the rows, and a refused value stays with its reason", async () => {
    const { page, troubles, text } = await openCondition(1440, "light");

    // By keyboard: a new row takes the focus; a value counts on Enter.
    await page.getByRole("button", { name: "Add a condition", exact: true }).press("Enter");
    await expect.poll(() => focused(page)).toBe("Column of condition 1");
    await page.getByLabel("Comparison of condition 1").selectOption(">=");
    await says(text).toBe("age >= ''");
    await page.getByLabel("Value of condition 1").fill("forty");
    await page.getByLabel("Value of condition 1").press("Enter");
    await page.getByText("This is “forty”, must be a finite number.").waitFor();
    await says(text).toBe("age >= 'forty'");
    await expect.poll(() => page.getByRole("button", { name: "Review and release" }).isDisabled()).toBe(true);
    await page.getByLabel("Value of condition 1").fill("4e1");
    await page.getByLabel("Value of condition 1").press("Enter");
    await says(text).toBe("age >= 40");

    // A group of two, one of them a list of declared values.
    await page.getByRole("button", { name: "Add a group", exact: true }).press("Enter");
    await expect.poll(() => focused(page)).toBe("Column of condition 2.1");
    await page.getByLabel("Column of condition 2.1").selectOption("race");
    await page.getByLabel("Comparison of condition 2.1").selectOption("in");
    await page.getByRole("group", { name: "Condition 2.1" }).getByLabel("2", { exact: true }).check();
    await page.getByRole("group", { name: "Condition 2.1" }).getByLabel("5", { exact: true }).check();
    await page.getByLabel("Column of condition 2.2").selectOption("married");
    await page.getByLabel("Value of condition 2.2").selectOption("true");
    await says(text).toBe("age >= 40 and (race in (2, 5) or married = true)");
    await expect.poll(() => page.getByText(/where age >= 40 and/).count()).toBeGreaterThan(0);
    await expectAccessible(page);

    // The other way, and one step back.
    await text.fill("not (age < 18 or married = false)");
    await expect.poll(() => page.getByLabel("How the conditions are joined").inputValue()).toBe("none");
    await page.getByRole("button", { name: "Remove condition 1", exact: true }).press("Enter");
    await says(text).toBe("not (married = false)");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/Add a condition/);
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await says(text).toBe("not (age < 18 or married = false)");

    // What rows cannot show stays text.
    await text.fill("age = 1 or (age = 2 and (age = 3 or (age = 4 and age = 5)))");
    await page.getByText("Rows cannot show all of this condition, so it stays as text.").waitFor();
    await text.fill("age >");
    await page.getByText("The conditions are shown as rows as soon as this text can be read.").waitFor();
    expect(troubles).toEqual([]);
  });

  test("a phone shows them without going sideways", async () => {
    const { page, troubles, text } = await openCondition(390, "dark");
    await text.fill("age between 18 and 65 and (race in (1, 2) or not (income < 1000 or married is null))");
    await page.getByRole("group", { name: "Condition 1", exact: true }).waitFor();
    await expectNoSideways(page);
    await expectAccessible(page);
    expect(troubles).toEqual([]);
  });
});
