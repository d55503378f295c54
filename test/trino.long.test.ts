import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { said } from "../packages/cli/src/terminal.kit.ts";
import { expectAccessible, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { noTrino, openTrino } from "./trino.kit.ts";

const ADMIN = "Pia Berg";
const reason = noTrino ?? whyNoBrowser();
/** Where screenshots go, if anywhere. */
const pictures = process.env.TRINO_PICTURES;

/** A platform with a connection to the made-up orders of a real Trino. */
async function open() {
  const folder = temporaryFolder();
  const trino = await openTrino();
  const sources = join(folder, "sources.json");
  await writeFile(sources, JSON.stringify({ shop: { url: trino.address("reader").replace("/memory", "/tpch") } }));
  const platform = await openPlatform(ADMIN, { sources });
  const close = async (): Promise<void> => {
    await platform.close();
    await trino.close();
  };
  return { ...platform, folder, trino, close };
}

describe.skipIf(reason !== null)(`orders in a real Trino${reason === null ? "" : `: ${reason}`}`, () => {
  const place = stage(open);

  /** What a command prints; one that is refused throws what it says. */
  async function command(line: string): Promise<string> {
    const argv = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const env = { DOSIMETER_URL: place.url, DOSIMETER_TOKEN: place.host.token };
    const { code, out, err } = await said(argv, { env, cwd: place.host.folder });
    if (code !== 0) throw new Error(err);
    return out;
  }

  test("on the page: a table is found by its name, declared by names and types, an account given, a count released", async () => {
    const { page } = await signedIn(place, ADMIN);
    const picture = async (name: string): Promise<void> => {
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    };
    await page.goto(`${place.url}/datasets/new`);
    await page.getByLabel("A table or view of a cluster of Trino").check();
    expect(await page.getByLabel("Schema").inputValue()).toBe("default");
    await page.getByLabel("Schema").fill("tiny");
    await page.getByLabel("Table or view", { exact: true }).fill("nothing");
    await page.getByRole("button", { name: "Use this table" }).click();
    await page.getByRole("alert").waitFor();
    await picture("1-no-such-table");
    await page.locator('datalist option[value="orders"]').waitFor({ state: "attached" });
    await page.getByLabel("Table or view", { exact: true }).fill("orders");
    await page.getByRole("button", { name: "Use this table" }).click();
    await page.getByLabel("Type of custkey").selectOption("integer");
    await page.getByLabel("Privacy unit").selectOption("custkey");
    await page.getByLabel("Type of totalprice").selectOption("number");
    const bounds = {
      orderkey: ["1", "60000"],
      totalprice: ["0", "500000"],
      orderdate: ["1992-01-01", "1998-12-31"],
      shippriority: ["0", "1"],
    };
    for (const [column, [lower = "", upper = ""]] of Object.entries(bounds)) {
      await page.getByLabel(`Lower bound of ${column}`).fill(lower);
      await page.getByLabel(`Upper bound of ${column}`).fill(upper);
    }
    await picture("2-columns");
    expect(await page.content(), "a word of most comments of orders").not.toContain("furiously");
    await expectAccessible(page);
    await page.getByLabel("Rows in total").fill("20");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "Open the ledger of orders" }).waitFor();
    await page.getByLabel("ε", { exact: true }).fill("4");
    await page.getByText(/no one learns much more about one \w+ than ε = 4 allows/).waitFor();
    await page.getByLabel(/I have read the guarantee/).check();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("link", { name: "Go to orders", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "orders", exact: true }).waitFor();

    await page.getByRole("tab", { name: "Budget" }).click();
    await page.getByRole("button", { name: "Give budget to …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("For", { exact: true }).selectOption({ label: ADMIN });
    await dialog.getByLabel("ε", { exact: true }).fill("3");
    await dialog.getByLabel("δ (optional)").fill("0.0000001");
    await dialog.getByRole("button", { name: "Give budget" }).click();
    await page.getByRole("link", { name: "Plan a release" }).click();
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.getByLabel("ε for this plan").fill("0.5");
    await page.getByLabel("ε for this plan").press("Enter");
    await page.getByText("fits", { exact: true }).waitFor();
    await picture("3-plan");
    await page.getByRole("button", { name: "Review and release" }).click();
    await page.getByRole("button", { name: /^Spend/ }).click();
    await page.getByText("Receipt and exact statement").waitFor();
    await picture("4-release");
    await page.context().close();
  });

  test("on the command line: connections, names and types, a declaration with dates, a quote, a release", async () => {
    expect(await command("connection list")).toMatch(/shop\s+trino/);
    const tables = await command("connection tables shop --schema tiny");
    expect(tables).toMatch(/schemas\t.*tiny[\s\S]*tables\t.*customer, lineitem/);
    const columns = await command("connection columns shop customer --schema tiny");
    expect(columns).toMatch(/custkey\s+bigint[\s\S]*mktsegment\s+varchar\(10\)/);
    const declaration = {
      name: "shipped",
      source: { trino: { connection: "shop", schema: "tiny", table: "lineitem" } },
      privacyUnit: { column: "orderkey" },
      contribution: { rows: 7 },
      columns: {
        orderkey: { type: "integer" },
        quantity: { type: "number", lower: 0, upper: 50, granularity: 1 },
        shipdate: { type: "date", lower: "1992-01-01", upper: "1998-12-31" },
        returnflag: { type: "category", categories: ["A", "N", "R"] },
      },
    };
    await writeFile(join(place.host.folder, "shipped.json"), JSON.stringify(declaration));
    await command("dataset add --declaration shipped.json");
    await command("ledger open shipped --epsilon 200 --delta 1e-6");
    const { person } = JSON.parse(await command("person me --json")) as { person: { id: string } };
    await command(`account create shipped --person ${person.id} --epsilon 150`);
    const plan = {
      statistics: [
        { statistic: "count", groupBy: ["returnflag"], epsilon: "20" },
        { statistic: "mean", column: "quantity", epsilon: "20" },
        { statistic: "count", where: "shipdate between '1995-01-01' and '1995-12-31'", epsilon: "20" },
      ],
    };
    await writeFile(join(place.host.folder, "plan.json"), JSON.stringify(plan));
    expect(await command("plan quote shipped --plan plan.json")).toMatch(/60/);
    const release = JSON.parse(await command("release make shipped --plan plan.json --json")) as {
      answers: { cells: { value: number }[] }[];
    };
    const [flags, mean, year] = release.answers.map(({ cells }) => cells.map(({ value }) => value));
    // Made-up orders are the same everywhere: exact values are public, noise of 7 rows at ε = 20 is below 20.
    const count = async (sql: string) => Number((await place.host.trino.query(sql))[0]?.[0]);
    const at = "FROM tpch.tiny.lineitem WHERE";
    for (const [index, flag] of ["A", "N", "R"].entries())
      expect(
        Math.abs((flags?.[index] ?? 0) - (await count(`SELECT count(*) ${at} returnflag = '${flag}'`))),
      ).toBeLessThan(20);
    expect(mean?.[0]).toBeCloseTo(await count("SELECT avg(quantity) FROM tpch.tiny.lineitem"), 0);
    const inYear = await count(`SELECT count(*) ${at} shipdate BETWEEN DATE '1995-01-01' AND DATE '1995-12-31'`);
    expect(Math.abs((year?.[0] ?? 0) - inYear)).toBeLessThan(20);
  });
});
