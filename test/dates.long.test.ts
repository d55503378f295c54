import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import {
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSideways,
  signedIn,
  stage,
  whyNoBrowser,
} from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const reason = whyNoBrowser();
const OWNER = "Ana";
/** 3,000 visits of as many people, 28 days of each month from January to May 2024; none in June. Paid: 28,650.00 in all. */
const CSV = [
  "who;seen;left;paid;came",
  ...Array.from({ length: 3000 }, (_, row) => {
    const [day, month] = [String(1 + (row % 28)).padStart(2, "0"), `0${1 + (row % 5)}`];
    return `${row};${day}.${month}.24;2024-${month}-${day};${row % 20}.05;2024-${month}-${day} ${String(8 + (row % 4)).padStart(2, "0")}:30`;
  }),
  "",
].join("\n");

const asked = [
  [2, "median", "seen"],
  [3, "mean", "seen"],
  [4, "histogram", "seen"],
  [5, "quantiles", "seen"],
  [6, "cdf", "seen"],
  [7, "sum", "paid"],
  [8, "median", "came"],
  [9, "histogram", "came"],
  [10, "runningCount", "seen"],
] as const;

describe.skipIf(reason !== null)("dates in the browser", () => {
  const demo = stage(openDemo);
  const folder = temporaryFolder();
  beforeAll(async () => {
    await writeFile(join(folder, "clinic.csv"), CSV);
  });

  async function choose(page: Page): Promise<void> {
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "New dataset" }).first().click();
    await page.getByRole("heading", { level: 1, name: "New dataset" }).waitFor();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await chooser.setFiles(join(folder, "clinic.csv"));
    await page.getByLabel("Dataset name").waitFor();
  }

  async function set(page: Page, row: number, heading: string, value: string): Promise<void> {
    const cell = page.getByRole("row", { name: new RegExp(`^Statistic ${row}:`) }).locator(`[data-label="${heading}"]`);
    await cell.press("Enter");
    if (heading === "Statistic") await cell.locator("input[role=combobox]").fill(value);
    else await cell.locator("select").selectOption(value);
    await page.keyboard.press("Enter");
  }

  test("dates and decimals declared as they are written, planned, released and read as dates and amounts", async () => {
    const { page, troubles } = await signedIn(demo, OWNER);
    await choose(page);
    await page.getByLabel("Type of who").selectOption("integer");
    await page.getByLabel("Privacy unit").selectOption("who");
    for (const name of ["seen", "left"]) {
      await page.getByLabel(`Type of ${name}`).selectOption("date");
      await page.getByLabel(`Lower bound of ${name}`).fill("2024-01-01");
      await page.getByLabel(`Upper bound of ${name}`).fill("2024-06-31");
      await page.getByLabel(`Never missing: ${name}`).check();
    }
    await page.getByLabel("Pattern: how texts are written in seen").fill("DD.MM.YY");
    await page.getByLabel("Type of came").selectOption("Date and time");
    await page.getByLabel("Lower bound of came").fill("2024-01-01");
    await page.getByLabel("Upper bound of came").fill("2024-06-30");
    await page.getByLabel("step of came").selectOption("Minutes");
    await page.getByLabel("Never missing: came").check();
    await page.getByLabel("Type of paid").selectOption("Decimal");
    await page.getByLabel("Lower bound of paid").fill("0");
    await page.getByLabel("Upper bound of paid").fill("25");
    await page.getByLabel(/Approximate number of rows/).fill("3000");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    const faults = page.locator(".grid-faults");
    await faults.getByText(/“At most” of left is "2024-06-31", must be a date such as '2024-03-15'/).waitFor();
    await page.getByLabel("Upper bound of seen").fill("2024-06-30");
    await faults.getByText(/“In steps of” of paid is empty, must be the last digit that counts/).waitFor();
    await page.getByLabel("step of paid").fill("0.01");
    await page.getByLabel("Upper bound of left").fill("2024-06-30");
    await faults.getByText(/“Time zone” of came is missing, must be a time zone such as 'Europe\/Berlin'/).waitFor();
    await page.getByLabel("Time zone of came").fill("Europe/Berlin");
    await faults.getByText(/“Written as” of seen .* from which year on/).waitFor();
    await page.getByLabel("Pattern: how texts are written in seen").fill("DD.MM.YY from 1930");
    await expectAccessibleInBothThemes(page);
    await page.getByRole("button", { name: "Declare the dataset" }).click();

    await page.getByRole("heading", { level: 1, name: "Open the ledger of clinic" }).waitFor();
    await page.getByRole("button", { name: "Use this: ε 1", exact: true }).click();
    await page.getByLabel(/I have read the guarantee/).click();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("heading", { level: 1, name: "Give budget on clinic" }).waitFor();
    await page.getByRole("link", { name: "Go to clinic" }).click();
    await page.getByRole("heading", { level: 1, name: "clinic", exact: true }).waitFor();
    await page.getByRole("tab", { name: "Columns" }).click();
    await page.getByText("2024-01-01 to 2024-06-30").first().waitFor();
    await page.getByText(/^2024-01-01T00:00\+01:00 to 2024-06-30T23:59\+02:00, by minute, Europe\/Berlin$/).waitFor();
    await page.getByRole("row", { name: /^paid decimal 0 to 25 by 0\.01/ }).waitFor();
    await expectAccessible(page);

    await page.getByRole("tab", { name: "Budget" }).click();
    await page.getByRole("button", { name: "Give budget to …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("For", { exact: true }).selectOption({ label: "Ana Silva" });
    await dialog.getByLabel("ε", { exact: true }).fill("1");
    await dialog.getByRole("button", { name: "Give budget" }).click();
    await page.getByRole("link", { name: "Plan a release" }).click();
    await page.getByRole("button", { name: "Add a statistic" }).waitFor();
    await page.getByRole("button", { name: "Count", exact: true }).click();
    for (const [row, statistic, variable] of asked) {
      await page.getByRole("button", { name: "Add a statistic" }).click();
      await set(page, row, "Statistic", statistic);
      await set(page, row, "Variable", variable);
    }
    await page.getByText("fits", { exact: true }).waitFor();
    await page.getByText(/within ± [\d.,]+ days/).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Review and release" }).click();
    await page.getByRole("checkbox", { name: /not read from the data/ }).check();
    await page.getByRole("dialog").getByText("2024-01-01 … 2024-06-30").first().waitFor();
    await page.getByRole("button", { name: /^Spend/ }).click();
    await page.getByRole("heading", { name: "Receipt and exact statement" }).waitFor();
    const answers = (name: RegExp) => page.getByRole("region", { name });
    await answers(/^Median of seen/)
      .getByText(/^2024-0[1-6]-\d\d$/)
      .first()
      .waitFor();
    await answers(/^Mean of seen/)
      .getByText(/^2024-0\d-\d\d to 2024-0\d-\d\d$/)
      .waitFor();
    await answers(/^Mean of seen/)
      .getByText(/is a date from 2024-0\d-\d\d to 2024-0\d-\d\d\./)
      .waitFor();
    await answers(/^Sum of paid/)
      .getByText(/^−?\d[\d,]*(\.\d+)?$/)
      .first()
      .waitFor();
    await answers(/^Median of came/)
      .getByText(/^2024-0[1-6]-\d\dT\d\d:\d\d\+0[12]:00$/)
      .first()
      .waitFor();
    await answers(/^Histogram of came/)
      .getByText("2024-03", { exact: true })
      .first()
      .waitFor();
    await answers(/^Running count of seen/)
      .getByText("The band holds each total to date without noise in 95 of 100 cases.")
      .waitFor();
    await answers(/^Running count of seen/)
      .getByText("2024-05", { exact: true })
      .first()
      .waitFor();
    await answers(/^Quantiles of seen/)
      .getByRole("button", { name: "View as table" })
      .click();
    await answers(/^Quantiles of seen/)
      .getByRole("cell", { name: /^2024-0\d-\d\d$/ })
      .first()
      .waitFor();
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    expect(troubles).toEqual([]);
  });
});
