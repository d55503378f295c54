import { describe, expect, test } from "vitest";
import { built, expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openCensus } from "./census.kit.ts";

const reason = whyNoBrowser();
const pictures = process.env.SQL_PICTURES;

const SQL = `SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.6)
  race,
  COUNT(*) AS people,
  AVG(income) AS income
FROM census
WHERE age >= 18
GROUP BY race`;

describe.skipIf(reason !== null)("the table of the planning page as SQL", () => {
  const census = stage(() => openCensus(built));

  test("a query becomes the table, the table a query, and a mistake says where it is", async () => {
    const { page, troubles } = await signedIn(census, "", { viewport: { width: 1440, height: 1000 } });
    await page.goto(`${census.host.url}/datasets/${census.host.dataset}/plan`);
    await page.getByRole("button", { name: "SQL" }).click();

    const dialog = page.getByRole("dialog", { name: "This plan as SQL" });
    const text = dialog.getByRole("textbox", { name: "SQL" });
    const use = dialog.getByRole("button", { name: "Use this SQL" });
    await text.fill(SQL.replace("income)", "incme)"));
    await dialog
      .getByText('line 4, column 7: no column is called "incme"; there are age, income, race, married')
      .waitFor();
    await expect.poll(() => use.isDisabled()).toBe(true);
    await text.fill(SQL.replace("OPTIONS(epsilon = 0.6)", ""));
    await dialog.getByText(/2 statistics\. The query states no ε/).waitFor();
    await text.fill(SQL.replace("FROM census", "FROM elsewhere"));
    await dialog.getByText("line 5, column 6: this plan is about census; write FROM census").waitFor();
    await text.fill(`${SQL}\nORDER BY people`);
    await dialog.getByText(/HAVING, ORDER BY and LIMIT are of a printed table; this plan keeps every group/).waitFor();
    await text.fill(SQL);
    await dialog.getByText("2 statistics, ε 0.6 in all.").waitFor();
    await expectAccessibleInBothThemes(page);
    for (const colorScheme of pictures === undefined ? [] : (["light", "dark"] as const))
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 1000 });
        await page.screenshot({ path: `${pictures}/sql-${width}-${colorScheme}.png` });
      }
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSideways(page);
    await page.setViewportSize({ width: 1440, height: 1000 });
    await use.click();

    await page.getByRole("row", { name: /^Statistic 1: count/i }).waitFor();
    await page.getByRole("row", { name: /^Statistic 2: mean/i }).waitFor();
    await page.getByRole("button", { name: "SQL" }).click();
    await expect.poll(() => text.inputValue()).toBe(SQL.replace("0.6)", "0.6, confidence = 0.95)"));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.getByRole("row", { name: /^Statistic 1:/ }).count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
