import { signedIn as clientOf } from "@dosimeter/server";
import { describe, expect, test } from "vitest";
import { csvBytes } from "../packages/server/src/instance.kit.ts";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";

const reason = whyNoBrowser();

/** Ten people in each month of two years. */
const VISITS = `who,seen\n${Array.from(
  { length: 24 },
  (_, at) => `${2022 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`,
)
  .flatMap((month) => Array.from({ length: 10 }, (_, who) => `p${who},${month}-15`))
  .join("\n")}\n`;
const declaration = {
  name: "visits",
  source: { csv: "visits.csv" },
  privacyUnit: { column: "who" },
  adjacency: "addRemove",
  contribution: { rows: 2 },
  blocks: { column: "seen", every: "month", zone: "Europe/Berlin", closes: "by hand", closed: "2023-12" },
  columns: { who: { type: "text" }, seen: { type: "date", lower: "2022-01-01", upper: "2023-12-31" } },
} as const;

describe.skipIf(reason !== null)("a population with a budget for each month", () => {
  const demo = stage(() => openPlatform("Pia Berg", {}));

  test("its ledger is opened, months are planned and paid, and a full one is named and seen", async () => {
    const { operator } = demo.host;
    const pia = (await operator.listPeople({})).items.find(({ name }) => name === "Pia Berg")?.id ?? "";
    const file = await operator.uploadFile({ name: "visits.csv", content: csvBytes(VISITS) });
    const { id: dataset } = await operator.createDataset({ file: file.id, declaration });
    await operator.grantRole({ person: pia, role: "datasetAdmin", object: { kind: "dataset", id: dataset } });

    const { page, troubles } = await signedIn(demo, "Pia");
    await page.goto(`${demo.url}/datasets/${dataset}/open`);
    await page.getByText("All answers about one month together; each month has it for itself.").waitFor();
    expect(await page.getByRole("radiogroup", { name: "Rule" }).getByRole("radio").count()).toBe(2);
    await page.getByRole("textbox", { name: "ε", exact: true }).fill("1");
    await page
      .getByText(
        "One person with records in several months is protected less: with 12 months, this promises at most ε = 12 and δ = 0.0948 together. A record whose date changes counts in each month that it has been in.",
      )
      .waitFor();
    await page.getByText("When does it run out?").click();
    await page.getByLabel("ε of one report").fill("0.02");
    await page
      .getByText("With a budget for each month team 1 gets all 13 reports; team 2 gets all 13 reports;")
      .waitFor();
    await page.getByLabel("ε of one report").fill("0.04");
    await page.getByText("With one lifetime for all months team 1 is refused first in month 20").waitFor();
    const rules = page.getByRole("radiogroup", { name: "Rule" }).getByRole("radio");
    await rules.nth(1).click();
    await page.getByLabel("A running total that goes on").click();
    await page.getByLabel("ρ of the first month").fill("0.002");
    await page.getByText("With a budget for each month team 1 gets all 24 reports; team 2 gets all").waitFor();
    await rules.nth(0).click();
    await page.getByLabel("ε of one report").waitFor();
    await page.getByRole("checkbox", { name: /^I have read the guarantee/ }).click();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("heading", { level: 1, name: "Give budget on visits" }).waitFor();
    const ledger = (await operator.showDataset({ dataset })).ledger?.id ?? "";
    await operator.createAccount({ ledger, holder: { kind: "person", id: pia }, epsilon: "1" });

    // What is promised is about one month of a person, on every page that says it.
    const { population } = await operator.setPublication({ ledger, isPublic: true });
    const promise =
      /no one learns much more about what is recorded of one who in one month than ε = 1 allows\. One who with records in several months is protected less: with 12 months, this promises at most ε = 12 and δ = 0\.0948 together\./;
    for (const path of [`datasets/${dataset}`, `public/${population}`]) {
      await page.goto(`${demo.url}/${path}`);
      await page.getByText(promise).waitFor();
      await page.getByText("protects what is recorded of any one who in any one month").waitFor();
    }

    await page.goto(`${demo.url}/datasets/${dataset}/plan`);
    await page.getByRole("button", { name: "Count", exact: true }).click();
    const months = async (window: string) => {
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      await page.getByLabel("Months").fill(window);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
    };
    await months("2023-03");
    await page.getByLabel("ε for this plan").fill("0.9");
    await page.keyboard.press("Enter");
    await page.getByText("fits", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Review and release" }).click();
    await page.getByRole("button", { name: "Spend ε 0.9 and release" }).click();
    await page.getByRole("heading", { level: 1, name: /over 2023-03, ε 0.9$/ }).waitFor();

    await page.goto(`${demo.url}/datasets/${dataset}/plan`);
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await months("2023-01 to 2023-04");
    await page.getByLabel("ε for this plan").fill("0.2");
    await page.keyboard.press("Enter");
    const widest =
      "2023-03 is the first block without room. The widest window of these with room is 2023-01 to 2023-02, 2023-04.";
    await page.getByText(widest).waitFor();
    // Without the full month it fits.
    await months("2023-01 to 2023-02");
    await page.getByText("fits", { exact: true }).waitFor();

    await page.goto(`${demo.url}/datasets/${dataset}?tab=budget`);
    const strip = page.getByRole("img", { name: /^Budget of each month/ });
    await strip.waitFor();
    await page.getByText("Closed up to 2023-12.").waitFor();
    // By keys, and by pointer, only some of the months are shown.
    const months2023 = page.getByRole("img", { name: /^Budget of each month\. From 2022-03 to 2023-12: / });
    await page.getByRole("slider", { name: "First month shown" }).press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await months2023.waitFor();
    const handle = (await page.getByRole("slider", { name: "Last month shown" }).boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(handle.x + 4, handle.y + 4);
    await page.mouse.down();
    await page.mouse.move(handle.x - 200, handle.y + 4, { steps: 4 });
    await page.mouse.up();
    await months2023.waitFor({ state: "detached" });
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download Budget of each month as CSV" }).press("Enter");
    expect((await saving).suggestedFilename()).toBe("budget-of-each-month.csv");
    await page.getByRole("button", { name: "Show all" }).press("Enter");
    await page.getByRole("img", { name: /^Budget of each month\. From 2022-01 to 2023-12: / }).waitFor();
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSideways(page);
    }
    await expectAccessibleInBothThemes(page);

    // A draft becomes a report over the latest months: what that sets aside is shown, and a month without room is named.
    await page.goto(`${demo.url}/datasets/${dataset}/plan`);
    await page.getByRole("button", { name: "Start over" }).click();
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.getByLabel("ε for this plan").fill("0.04");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Drafts", exact: true }).click();
    await page.getByLabel("Keep this plan as").fill("All visits");
    await page.getByRole("button", { name: "Save the draft" }).press("Enter");
    await page.getByText(/the plan is as it was saved/).waitFor();
    await page.goto(`${demo.url}/datasets/${dataset}?tab=budget`);
    await page.getByRole("link", { name: "Scheduled reports" }).press("Enter");
    await page.getByText("No scheduled report yet").waitFor();
    await page.getByRole("button", { name: "New report" }).press("Enter");
    await page.getByLabel("Name").fill("Visits of three months");
    await page.getByLabel("First month").fill("2023-12");
    await page.getByText(/In 2023-03, the first block without room/).waitFor();
    await page.getByLabel("Latest months in each report").fill("3");
    await page.getByText("Each month is in 3 reports and pays for all of them.").waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole("button", { name: "Set aside and start" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Visits of three months" }).waitFor();
    await page.getByRole("link", { name: "Answers of 2023-12" }).waitFor();
    await page.getByRole("img", { name: /^Count\. .* in 2023-12\. Each whisker holds/ }).waitFor();
    await page.getByText("Waiting for 2024-01 to be closed").waitFor();
    // A new month arrives, without the rows of one that is over already; it is closed, and the report is there.
    const report = page.url();
    await page.goto(`${demo.url}/datasets/${dataset}?tab=columns`);
    await page.getByLabel("Only more rows of one month").fill("2024-01");
    const buffer = Buffer.from("who,seen\np1,2024-01-15\np2,2023-12-15\n");
    await page.locator('input[type="file"]').setInputFiles({ name: "january.csv", mimeType: "text/csv", buffer });
    await page.getByText("Rows that came: 1. Rows of other months or without a date, dropped: 1.").waitFor();
    await page.getByText("Closed up to 2023-12. Reports and “latest” take closed months.").waitFor();
    await expectAccessibleInBothThemes(page);
    await page.getByRole("button", { name: "Close up to 2024-01" }).press("Enter");
    await page.getByText("Closed up to 2024-01. No other month is over.").waitFor();
    await page.goto(report);
    await page.getByRole("link", { name: "Answers of 2024-01" }).waitFor({ timeout: 60_000 });
    await page.getByText("2023-10", { exact: true }).waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSideways(page);
      await expectAccessibleInBothThemes(page);
    }
    // The overview tells the answers of both windows apart.
    await page.goto(`${demo.url}/datasets/${dataset}`);
    for (const months of ["2023-10 to 2023-12", "2023-11 to 2024-01"])
      await page.getByText(`${months} · `, { exact: false }).waitFor();
    await page.goto(report);
    await page.getByRole("button", { name: "End" }).press("Enter");
    await page.getByRole("button", { name: "End the report" }).press("Enter");
    await page.getByText("None: it has ended").waitFor();
    // The report for which March had no room.
    expect(troubles).toEqual([expect.stringContaining("the server responded with a status of 409 (Conflict)")]);
  });

  test("a running total goes on: what each month pays and both errors before, then all totals to date", async () => {
    const { operator, link } = demo.host;
    const pia = (await operator.listPeople({})).items.find(({ name }) => name === "Pia Berg")?.id ?? "";
    const file = await operator.uploadFile({ name: "totals.csv", content: csvBytes(`${VISITS}p1,2023-12-16\n`) });
    const { id: dataset } = await operator.createDataset({
      file: file.id,
      declaration: { ...declaration, name: "totals" },
    });
    await operator.grantRole({ person: pia, role: "datasetAdmin", object: { kind: "dataset", id: dataset } });
    const { id: ledger } = await operator.openLedger({ dataset, epsilon: "3", delta: "1e-6", rule: "tight" });
    const { id: account } = await operator.createAccount({ ledger, holder: { kind: "person", id: pia }, epsilon: "2" });
    const plan = { statistics: [{ id: "n", statistic: "runningCount", column: "seen", rho: "0.01" }] };
    await (await clientOf({ url: demo.url, fetch }, await link("Pia"))).saveDraft({
      dataset,
      account,
      name: "Visits",
      plan,
    });

    const { page, troubles } = await signedIn(demo, "Pia");
    await page.keyboard.press("Meta+k");
    await page.getByRole("combobox", { name: "A page, dataset, person, action or question" }).fill("schedule report");
    await page.getByRole("option", { name: "Schedule a report on totals" }).click();
    await page.getByRole("button", { name: "New report" }).press("Enter");
    await page.getByLabel("Name").fill("Visits so far");
    await page.getByLabel("Each report is about").selectOption("all");
    await page.getByLabel("Months in all").fill("24");
    await page.getByLabel("First month").fill("2023-01");
    await page.getByText(/^± ?[\d.,]+ in the first report, ± ?[\d.,]+ in the last$/).waitFor();
    await page
      .getByText("When a month is over it pays for its part in this and all later reports, 24 in all;")
      .waitFor();
    await page.getByRole("button", { name: "Set aside and start" }).press("Enter");
    await page.getByRole("heading", { level: 1, name: "Visits so far" }).waitFor();
    await page.getByText("over all months so far, of 24 in all").waitFor();
    await page.getByRole("link", { name: "Answers of 2023-12" }).waitFor({ timeout: 60_000 });
    await page.getByRole("img", { name: /^Running count of seen\. .* in 2023-12\. Each whisker holds/ }).waitFor();
    // μ² of the first month is 2ρ; it has no price in ε. What is set aside is in μ² too.
    for (const name of ["Spent μ²", "Set aside μ²"]) await page.getByRole("columnheader", { name }).waitFor();
    await page.getByRole("row", { name: "2023-01 0.02 0.02 100 %", exact: true }).waitFor();
    await page.getByRole("row", { name: /^2023-12 0\.0\d+ 0\.02 \d\d\.?\d? %$/ }).waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSideways(page);
      await expectAccessibleInBothThemes(page);
    }
    expect(troubles).toEqual([]);
  });
});
