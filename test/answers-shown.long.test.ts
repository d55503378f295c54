import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { formatNumber } from "../packages/plot/src/scene/number.ts";
import { signedIn as clientOf } from "../packages/server/src/demo/sign-in.ts";
import { convertWorkbook } from "../packages/server/src/sources/convert/xlsx.ts";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const reason = whyNoBrowser();
const folder = temporaryFolder();

/** Where pictures of every width and theme are kept for review by eye; absent: none are. */
const PICTURES = process.env.TEST_PICTURES;

describe.skipIf(reason !== null)(`answers worth showing${reason === null ? "" : `: ${reason}`}`, () => {
  const here = stage(openDemo);

  test("each kind of answer has its chart, travels as files that others read, is cited, and lies next to an earlier one", async () => {
    const ana = await clientOf({ url: here.url, fetch }, await here.host.link("Ana"));
    const { items } = await ana.listDatasets();
    const dataset = items.find(({ name }) => name === "adults");
    if (dataset === undefined) throw new Error("the demo has adults");
    const [account] = (await ana.listMyAccounts({ text: "adults" })).items;
    const plan = {
      statistics: [
        { id: "people", statistic: "count", groupBy: ["education"], epsilon: "0.05" },
        { id: "income", statistic: "mean", column: "income", groupBy: ["education"], epsilon: "0.1" },
        { id: "cross", statistic: "count", groupBy: ["education", "sex"], epsilon: "0.05" },
        { id: "ages", statistic: "histogram", column: "age", groupBy: ["sex"], bins: 15, epsilon: "0.05" },
        { id: "curve", statistic: "cdf", column: "income", groupBy: ["sex"], epsilon: "0.05" },
      ],
    };
    const ask = (key: string) =>
      ana.releaseAndWait({ dataset: dataset.id, account: account?.id ?? "", plan } as never, { idempotencyKey: key });
    const [, release] = [await ask("shown-1"), await ask("shown-2")];

    const { page, troubles } = await signedIn(here, "Ana");
    await page.goto(new URL(`/releases/${release.id}`, here.url).href);
    const part = (name: string) => page.getByRole("region", { name, exact: true });
    const income = part("Mean of Income a year by Highest schooling");
    await income.getByText(/^People of adults, as of \d{4}-\d\d-\d\d · ± \$[\d,]+ to \$/).waitFor();
    await income
      .getByText(/^n ≈ [\d,]+$/)
      .first()
      .waitFor();
    const names = () => income.locator("svg[role=img] text").allTextContents();
    const [sorted, before] = [income.getByRole("button", { name: "As declared" }), await names()];
    await sorted.click();
    await expect.poll(names).not.toEqual(before);
    await part("Count by Highest schooling, Sex").getByText("Highest schooling by Sex").waitFor();
    await part("Histogram of Age by Sex").getByText("rows, by Age").waitFor();
    await part("Cumulative counts of Income a year by Sex").getByText("rows at or below").waitFor();

    const saved = async (click: () => Promise<void>): Promise<string> => {
      const [file] = await Promise.all([page.waitForEvent("download"), click()]);
      const path = join(folder, file.suggestedFilename());
      await file.saveAs(path);
      return path;
    };
    const chosen = (label: string) =>
      saved(async () => {
        await page.getByRole("button", { name: "Download", exact: true }).click();
        await page.getByRole("menuitem", { name: label, exact: true }).click();
      });
    const csv = (await readFile(await chosen("CSV"), "utf8")).trim().split("\r\n");
    for (const line of csv.slice(1)) expect(line).not.toMatch(/\d\.\d{9}/);
    // The page's table has the digits of the file, also where there are more than elsewhere.
    await income.getByRole("button", { name: "View as table" }).click();
    const cells = await income.locator("td").allTextContents();
    await income.getByRole("button", { name: "View as chart" }).click();
    for (const line of csv.filter((each) => each.startsWith("income,")))
      for (const part of line.split(",").slice(7, 10)) expect(cells).toContain(formatNumber(Number(part), 15));
    const rows: (readonly string[])[] = [];
    const writer = {
      header: (row: readonly string[]) => rows.push(row),
      row: (row: readonly string[]) => rows.push(row),
    };
    await convertWorkbook(await chosen("Excel"), writer as never, { sheet: undefined, unpacked: 2 ** 26 });
    expect(rows).toHaveLength(csv.length);
    const duckdb = await (await DuckDBInstance.create()).connect();
    const parquet = await chosen("Parquet");
    const read = await duckdb.runAndReadAll(`SELECT count(*), count(lower), count(upper) FROM '${parquet}'`);
    expect(read.getRowsJson()).toEqual([[csv.length - 1, csv.length - 1, csv.length - 1].map(String)]);
    const server = await ana.releaseReport({ release: release.id, format: "parquet" });
    expect(Buffer.from(await server.arrayBuffer())).toEqual(await readFile(parquet));
    const png = await readFile(await saved(() => income.getByRole("button", { name: /as PNG$/ }).click()));
    expect([...png.subarray(1, 4)]).toEqual([..."PNG"].map((letter) => letter.charCodeAt(0)));
    expect(png.readUInt32BE(16), "two pixels for each").toBe(1520);
    const table = await readFile(await saved(() => income.getByRole("button", { name: /as CSV$/ }).click()), "utf8");
    expect(table).toMatch(/^Highest schooling,/);
    expect(table).not.toMatch(/\d\.\d{9}/);

    await page.getByRole("button", { name: "Cite" }).click();
    const apa = await page.getByRole("textbox", { name: "APA" }).inputValue();
    expect(apa).toMatch(
      /^Ana[^(]*\. \(\d{4}, [A-Z][a-z]+ \d+\)\. .* \[Differentially private, ε = .*\]\. adults, version 1\. http/,
    );
    expect(apa).toContain(`ε = ${release.receipt?.epsilon}]`);
    await page.keyboard.press("Escape");

    await page.getByText("Compare with another release").click();
    const other = page.getByRole("combobox", { name: "With" });
    await other.selectOption({ index: 1 });
    await page.getByText("two that overlap can still differ").first().waitFor();

    await expectAccessibleInBothThemes(page);
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expectNoSideways(page);
      for (const colorScheme of PICTURES === undefined ? [] : (["light", "dark"] as const)) {
        await page.emulateMedia({ colorScheme });
        mkdirSync(PICTURES ?? folder, { recursive: true });
        writeFileSync(
          join(PICTURES ?? folder, `answers-${width}-${colorScheme}.png`),
          await page.screenshot({ fullPage: true }),
        );
      }
    }
    expect(troubles).toEqual([]);
  });

  test("answers by states and by countries are maps where asked for, with their table below", async () => {
    const root = await clientOf({ url: here.url, fetch }, await here.host.link("Dana"));
    const states = ["CA", "TX", "NY", "FL", "WA", "AK", "WY", "OH"];
    const countries = ["Norway", "Sweden", "Brazil", "India", "Canada"];
    const rows = Array.from({ length: 3000 }, (_, at) => {
      // Hardly anyone lives in Wyoming.
      const state = at === 0 ? "WY" : states.filter((each) => each !== "WY")[at % 7];
      return `${state},${countries[at % (1 + (at % 5))]}`;
    });
    const content = new TextEncoder().encode(`state,born\n${rows.join("\n")}\n`);
    const file = await root.uploadFile({ name: "people.csv", content });
    const declaration = {
      privacyUnit: "row",
      columns: {
        state: { type: "category", categories: states, provenance: "public" },
        born: { type: "category", categories: countries, label: "Country of birth", provenance: "public" },
      },
    };
    const { id } = await root.createDataset({ file: file.id, name: "people", declaration } as never);
    const ledger = await root.openLedger({ dataset: id, epsilon: "3", delta: "1e-6" });
    const dana = (await root.showSession()).me?.person.id ?? "";
    const { id: account } = await root.createAccount({
      ledger: ledger.id,
      holder: { kind: "person", id: dana },
      epsilon: "2",
    });
    const plan = {
      statistics: [
        { id: "states", statistic: "count", groupBy: ["state"], epsilon: "0.1" },
        { id: "born", statistic: "histogram", column: "born", epsilon: "0.5" },
      ],
    };
    const asked = { dataset: id, account, plan };
    const release = await root.releaseAndWait(asked as never, { idempotencyKey: "map" });
    const { page, troubles } = await signedIn(here, "Dana");
    const loads: string[] = [];
    page.on("request", (request) => loads.push(request.url()));
    await page.goto(new URL(`/releases/${release.id}`, here.url).href);
    const drawn = async (name: RegExp, places: number) => {
      const part = page.getByRole("region", { name });
      await part.getByRole("button", { name: "Map", exact: true }).click();
      await expect.poll(() => part.locator("svg[role=img] path").count()).toBeGreaterThan(50);
      expect(await part.locator("svg[role=img] path title").count()).toBe(places);
      expect(await part.getByRole("row").count(), "the table has each interval").toBe(places + 1);
      return part;
    };
    await page.getByRole("button", { name: "Map", exact: true }).first().waitFor();
    expect(loads.filter((url) => /atlas|albers|110m/.test(url))).toEqual([]);
    const part = await drawn(/^Count by state/i, states.length);
    expect(await part.locator("svg[role=img] path[stroke-dasharray]").count()).toBe(1);
    await drawn(/^Histogram of Country of birth/, countries.length);
    await expectAccessibleInBothThemes(page);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSideways(page);
      for (const colorScheme of PICTURES === undefined ? [] : (["light", "dark"] as const)) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ fullPage: true, path: join(PICTURES ?? folder, `map-${width}-${colorScheme}.png`) });
      }
    }
    await part.getByRole("button", { name: "Map", exact: true }).click();
    await expect.poll(() => part.locator("svg[role=img] path").count()).toBeLessThan(40);
    expect(troubles).toEqual([]);
  });
});
