import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)(`the page of a release${reason === null ? "" : `: ${reason}`}`, () => {
  const demo = stage(openDemo);

  async function planAdults(page: Page): Promise<void> {
    await page.goto(new URL("/datasets", demo.url).href);
    await page.locator("main tbody a").first().click();
    await page.getByRole("link", { name: "Plan a release" }).click();
  }
  async function release(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Review and release" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("checkbox").check();
    await dialog.getByRole("button", { name: /and release$/ }).click();
  }

  test("is found by a column, renamed, described, cited, shared and copied, and keeps its receipt behind one line", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const { page, troubles } = await signedIn(demo, "Ana", { permissions });
    await page.goto(new URL("/search?text=income", demo.url).href);
    await page.getByRole("link", { name: "Count and mean of Income a year by Highest schooling, ε 0.25" }).click();
    await page
      .getByRole("heading", { level: 1, name: "Count and mean of Income a year by Highest schooling, ε 0.25" })
      .waitFor();
    await page
      .getByRole("img", { name: /^Count: [\d,]+, [\d,]+ to [\d,]+ \(95 %\), of a range of 0 to 20,000/ })
      .waitFor();
    const [, id = ""] =
      /\/releases\/count-and-mean-of-income-a-year-by-highest-schooling-(chg_\w+)$/.exec(page.url()) ?? [];
    expect(id).not.toBe("");

    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Income and schooling");
    await page.getByRole("textbox", { name: "Note" }).fill("For the board of May.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Income and schooling" }).waitFor();
    await page.locator(".release-note").getByText("For the board of May.").waitFor();

    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByText("The link is copied.").waitFor();
    expect(await copied()).toBe(`${demo.url}/releases/income-and-schooling-${id}`);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByText("The answers are copied.").waitFor();
    expect(await copied()).toMatch(
      /^Income and schooling\n\nCount: [\d,]+\. In 95 of 100 cases[\s\S]*\nHighest schooling\t/,
    );

    await page.getByRole("button", { name: "Cite" }).click();
    await page.getByRole("textbox", { name: "BibTeX" }).waitFor();
    await page.getByRole("button", { name: "Copy BibTeX" }).click();
    await page.getByText("Copied.", { exact: true }).waitFor();
    const bibtex = await copied();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Receipt and exact statement" }).click();
    const hash = await page
      .getByText(/^[0-9a-f]{64}$/)
      .nth(1)
      .innerText();
    for (const words of ["Income and schooling", `${demo.url}/releases/${id}`, hash, "0.25", "adults, version 1"])
      expect(bibtex).toContain(words);
    await expectAccessibleInBothThemes(page);

    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    for (const name of [id, `an-older-title-${id}`]) {
      await page.goto(new URL(`/releases/${name}`, demo.url).href);
      await page.waitForURL(`${demo.url}/releases/income-and-schooling-${id}`);
    }
    await page.goto(new URL("/releases", demo.url).href);
    await page.getByRole("link", { name: "Income and schooling" }).waitFor();
    await expectNoSideways(page);
    await expectAccessibleInBothThemes(page);
    expect(troubles).toEqual([]);
  });

  test("of a synthetic table: planned and paid once, it shows what made-up rows keep and gives the same ones for a seed", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    await planAdults(page);
    await page.getByRole("button", { name: "Make a synthetic table" }).click();
    await page
      .getByText(/^Each count of one column will be within ± [\d,]+, and each count of a measured pair/)
      .waitFor();
    await release(page);
    await page.getByRole("heading", { name: "What made-up rows keep" }).waitFor();
    await page.getByRole("img", { name: /^married\. / }).waitFor();
    await page.getByText("Do not use made-up rows for single people").waitFor();
    // Any two columns are counted for free, with what the counts are worth.
    const countBy = async (of: string, by: string): Promise<void> => {
      await page.getByRole("combobox", { name: "Of each" }).selectOption({ label: of });
      await page.getByRole("combobox", { name: "by", exact: true }).selectOption({ label: by });
      await page.getByRole("region", { name: `Made-up rows by ${of} and ${by}` }).waitFor();
      await page.getByText(/^These two were (not )?measured together: /).waitFor();
    };
    await countBy("education", "race");
    await countBy("income", "married");
    await page.getByText("plan it as a statistic of its own").waitFor();
    // A condition over more than two columns is answered, and said to be assumed.
    await page.getByRole("textbox", { name: "How many rows where" }).fill("age < 40 and married = true");
    await page.getByRole("combobox", { name: "and the mean of" }).selectOption("income");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText(/^About [\d,]+ of [\d,]+ rows; their mean of income is -?[\d,.]+\.$/).waitFor();
    await page.getByText("together they were not measured").waitFor();
    await expectAccessibleInBothThemes(page);

    await page.getByRole("textbox", { name: "Rows", exact: true }).fill("1,500");
    const rows = async (seed: string): Promise<readonly string[]> => {
      await page.getByRole("textbox", { name: "Seed" }).fill(seed);
      const begun = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download made-up rows" }).click();
      return (await readFile(await (await begun).path(), "utf8")).trimEnd().split("\n");
    };
    const first = await rows("7");
    expect(first[0]).toBe("age,sex,education,race,income,married");
    expect(first).toHaveLength(1501);
    expect(await rows("7")).toEqual(first);
    expect(await rows("8")).not.toEqual(first);
    await page.getByRole("textbox", { name: "Rows", exact: true }).fill("0");
    await expect.poll(() => page.getByRole("button", { name: "Download made-up rows" }).isDisabled()).toBe(true);
    await page.getByText("synthetic.csv is downloaded. Nothing was charged.").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    expect(troubles).toEqual([]);
  });

  test("of a set of tables: its quote says the error of each, and the answer shows each with what it adds up to", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    await planAdults(page);
    await page.getByRole("button", { name: "Make a set of tables" }).click();
    await page
      .getByRole("row", { name: /^Statistic 1:/ })
      .locator('[data-label="Settings"]')
      .press("Enter");
    await page.getByRole("textbox", { name: "Tables" }).fill("sex, married+sex");
    await page.getByRole("textbox", { name: "Tables" }).press("Enter");
    await page.getByRole("button", { name: "Row details" }).click();
    const errors = page.getByRole("table", { name: "Error of each table at this share" });
    await errors.getByRole("rowheader", { name: "sex × married" }).waitFor();
    await expect
      .poll(() => errors.getByRole("rowheader").allTextContents())
      .toEqual(["all rows", "sex", "married", "sex × married"]);
    await page.getByText(/^Each cell of an asked table will be within ± [\d,]+ in /).waitFor();
    await expectAccessibleInBothThemes(page);
    // A table that does not exist is said at its field, before anything is paid.
    await page.getByRole("textbox", { name: "Tables" }).fill("sex+nobody");
    await page.getByRole("textbox", { name: "Tables" }).press("Enter");
    await page
      .getByText(/nobody/)
      .first()
      .waitFor();
    await page.getByRole("textbox", { name: "Tables" }).fill("sex, married+sex");
    await page.getByRole("textbox", { name: "Tables" }).press("Enter");
    await errors.getByRole("rowheader", { name: "sex × married" }).waitFor();
    await page.getByRole("combobox", { name: "Numbers" }).selectOption("whole");
    await release(page);
    const answer = page.getByRole("region", { name: /^Set of tables by/ });
    const whole = answer.getByText("In whole numbers, none below zero", { exact: true });
    await whole.nth(1).click();
    await answer.getByText(/^Above is the answer as it was drawn, right on average/).waitFor();
    await answer.getByText("All rows", { exact: true }).waitFor();
    await answer.getByRole("img", { name: /Sex/ }).first().waitFor();
    for (const name of ["By Sex", "By Now married", "By Sex, Now married"])
      await answer.locator("summary", { hasText: new RegExp(`^${name}$`) }).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    expect(troubles).toEqual([]);
  });

  test("offers no name to who only reads it", async () => {
    const { items } = await demo.host.operator.listReleases({});
    const { page } = await signedIn(demo, "Aud");
    await page.goto(new URL(`/releases/${items[0]?.id}`, demo.url).href);
    await page.getByRole("button", { name: "Cite" }).waitFor();
    expect(await page.getByRole("button", { name: "Rename" }).count()).toBe(0);
  });
});
