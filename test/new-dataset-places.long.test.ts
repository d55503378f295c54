import { copyFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { openPostgres, type PostgresServer } from "./postgres.kit.ts";

const reason = whyNoBrowser();
const ADMIN = "Pia Berg";
const WORKBOOK = join(import.meta.dirname, "../packages/server/src/sources/convert/golden/visits-1900.xlsx");

/** A marked value, so that it can be looked for wherever a page might show a row. */
const MARK = 71234501;
const rows = (count: number, first = 0) =>
  ["who,salary", ...Array.from({ length: count }, (_, row) => `${first + row},${MARK + row}`), ""].join("\n");

const COMMENTED = `# who,salary, "as asked\n${rows(20)}# end\n`;

/** A platform with an allowed folder and a connection to a real PostgreSQL. */
async function open() {
  const folder = temporaryFolder();
  await writeFile(join(folder, "staff.csv"), rows(60));
  await writeFile(join(folder, "commented.csv"), COMMENTED);
  await copyFile(WORKBOOK, join(folder, basename(WORKBOOK)));
  const postgres = await openPostgres();
  await postgres.query(
    `CREATE SCHEMA ward; CREATE ROLE reader LOGIN PASSWORD 'opensesame'; GRANT USAGE ON SCHEMA ward TO reader;
     CREATE TABLE ward.visits AS SELECT i % 500 AS patient, (i * 7 % 90)::int AS age FROM generate_series(1, 2000) AS t(i);
     CREATE TABLE ward.salaries AS SELECT 1 AS patient;
     GRANT SELECT ON ward.visits TO reader`,
  );
  const sources = join(folder, "sources.json");
  const url = postgres.address({ role: "reader", password: "opensesame" });
  await writeFile(sources, JSON.stringify({ clinic: { url } }));
  const platform = await openPlatform(ADMIN, { folders: [folder], sources });
  return { ...platform, folder, postgres, close: () => closeAll(platform, postgres) };
}

async function closeAll(platform: { close(): Promise<void> }, postgres: PostgresServer) {
  await platform.close();
  await postgres.close();
}

describe.skipIf(reason !== null)("a new dataset from where the data is", () => {
  const place = stage(open);
  const sent = temporaryFolder();

  async function begin(from: string): Promise<Page> {
    const { page } = await signedIn(place, ADMIN);
    await page.goto(`${place.url}/datasets/new`);
    await page.getByLabel(from).check();
    return page;
  }

  async function declarePeople(page: Page, who: string): Promise<void> {
    await page.getByLabel(`Type of ${who}`).selectOption("integer");
    await page.getByLabel("Privacy unit").selectOption(who);
  }

  async function bounds(page: Page, column: string, lower: string, upper: string): Promise<void> {
    await page.getByLabel(`Type of ${column}`).selectOption("integer");
    await page.getByLabel(`Lower bound of ${column}`).fill(lower);
    await page.getByLabel(`Upper bound of ${column}`).fill(upper);
  }

  async function openLedger(page: Page, name: string): Promise<void> {
    await page.getByRole("heading", { level: 1, name: `Open the ledger of ${name}` }).waitFor();
    await page.getByLabel("ε", { exact: true }).fill("4");
    await page.getByText(/no one learns much more about one \w+ than ε = 4 allows/).waitFor();
    await page.getByLabel(/I have read the guarantee/).check();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("link", { name: `Go to ${name}`, exact: true }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  }

  test("a table in an allowed folder of the server; never a value of it on the page", async () => {
    const page = await begin("A folder of the server");
    await page.getByLabel("Table", { exact: true }).selectOption(`${basename(place.host.folder)}/staff.csv`);
    await page.getByRole("button", { name: "Use this table" }).click();
    await declarePeople(page, "who");
    await bounds(page, "salary", "71234500", "71234600");
    expect(await page.content()).not.toContain(String(MARK));
    await page.getByRole("button", { name: "Declare without a check" }).click();
    await openLedger(page, "staff");
    expect(await page.content()).not.toContain(String(MARK));
    await page.context().close();
  });

  test("a sheet of a workbook, from a disk and from the folder", async () => {
    const { page } = await signedIn(place, ADMIN);
    for (const from of ["upload", "folder"]) {
      await page.goto(`${place.url}/datasets/new`);
      if (from === "upload") await page.getByLabel("Table", { exact: true }).setInputFiles(WORKBOOK);
      else {
        await page.getByLabel("A folder of the server").check();
        await page.getByLabel("Table", { exact: true }).selectOption(`${basename(place.host.folder)}/visits-1900.xlsx`);
        await page.getByRole("button", { name: "Use this table" }).click();
      }
      await page.getByLabel("Sheet").waitFor();
      expect(await page.getByLabel("Sheet").inputValue(), "the first that is not hidden").toBe("Visits");
      await expectAccessible(page);
      await page.getByLabel("Sheet").selectOption("Other");
      await page.getByRole("button", { name: "Use this sheet" }).click();
      await page.getByLabel("Type of n", { exact: true }).waitFor();
    }
    await page.context().close();
  });

  test("a statistical file fills the columns; lines around a table are left out, and the check says how its numbers are written", async () => {
    const { page } = await signedIn(place, ADMIN);
    const table = () => page.getByLabel("Table", { exact: true });
    await page.goto(`${place.url}/datasets/new`);
    await table().setInputFiles(join(WORKBOOK, "../people.sav"));
    await page.getByLabel("Type of sex", { exact: true }).waitFor();
    expect(await page.getByLabel("Type of sex", { exact: true }).inputValue()).toBe("category");
    expect(await page.getByLabel("Categories of sex", { exact: true }).inputValue()).toBe("1=male; 2=female");
    expect(await page.getByLabel("Label of age", { exact: true }).inputValue()).toBe("Age");
    expect(await page.getByLabel("Dataset name").inputValue()).toBe("people");
    await page.goto(`${place.url}/datasets/new`);
    const text = `Costs\nwho;cost\n${Array.from({ length: 20 }, (_, row) => `${row};1.${100 + row},5\n`).join("")}Source: us\n`;
    await table().setInputFiles({ name: "costs.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Lines above the header").fill("1");
    await page.getByLabel("Lines below the table").fill("1");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Read it this way" }).click();
    await declarePeople(page, "who");
    await page.getByLabel("Type of cost").selectOption("number");
    await page.getByLabel("Lower bound of cost").fill("1000");
    await page.getByLabel("Upper bound of cost").fill("1200");
    await page.getByRole("button", { name: "Check how it fits" }).click();
    await page.getByRole("button", { name: "Read it as written: 1.234,5" }).first().click();
    expect(await page.getByLabel("Pattern: how texts are written in cost").inputValue()).toBe("1.234,5");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "Open the ledger of costs" }).waitFor();
    await page.context().close();
  });

  test("a text with comments, from a disk and from the folder", async () => {
    const { page } = await signedIn(place, ADMIN);
    for (const from of ["upload", "folder"]) {
      await page.goto(`${place.url}/datasets/new`);
      if (from === "upload")
        await page
          .getByLabel("Table", { exact: true })
          .setInputFiles({ name: "commented.csv", mimeType: "text/csv", buffer: Buffer.from(COMMENTED) });
      else {
        await page.getByLabel("A folder of the server").check();
        await page.getByLabel("Table", { exact: true }).selectOption(`${basename(place.host.folder)}/commented.csv`);
        await page.getByRole("button", { name: "Use this table" }).click();
      }
      await page.getByRole("alert").waitFor();
      await page.getByLabel("Skip lines starting with").fill("#");
      await page.getByRole("button", { name: "Read it this way" }).click();
      await page.getByLabel("Type of salary").waitFor();
      expect(await page.getByLabel("Skip lines starting with").inputValue()).toBe("#");
    }
    await page.getByLabel("Skip lines starting with").selectOption("%");
    await page.getByRole("alert").waitFor(); // the lines are rows of other lengths now
    await page.getByLabel("Skip lines starting with").selectOption("#");
    await page.getByRole("alert").waitFor({ state: "detached" });
    await declarePeople(page, "who");
    await bounds(page, "salary", "71234500", "71234600");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Declare without a check" }).click();
    await openLedger(page, "commented");
    await page.context().close();
  });

  test("a table that stays in PostgreSQL: declared, an account given, a count released from it", async () => {
    const page = await begin("A table or view of a database");
    await page.locator('datalist option[value="ward"]').waitFor({ state: "attached" });
    await page.getByLabel("Schema").fill("ward");
    await page.locator('datalist option[value="visits"]').waitFor({ state: "attached" });
    await page.getByLabel("Table or view", { exact: true }).fill("salaries");
    await page.getByRole("button", { name: "Use this table" }).click();
    await page.getByRole("alert").waitFor(); // the role may not read it
    expect(await page.content()).not.toContain("opensesame");
    expect(await page.locator('datalist option[value="salaries"]').count()).toBe(0);
    await page.getByLabel("Table or view", { exact: true }).fill("visits");
    await page.getByRole("button", { name: "Use this table" }).click();
    await declarePeople(page, "patient");
    await bounds(page, "age", "0", "100");
    await expectAccessible(page);
    await page.getByLabel("Rows in total").fill("4");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await openLedger(page, "visits");

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
    await page.getByRole("button", { name: "Review and release" }).click();
    await page.getByRole("button", { name: /^Spend/ }).click();
    await page.getByText("Receipt and exact statement").waitFor();
    await page.context().close();
  });

  test("a large upload shows how far it is and can be stopped; its people can be those of another table", async () => {
    const file = join(sent, "more.csv");
    await writeFile(file, rows(300_000));
    const page = await begin("A file on this computer");
    const choose = async () => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Choose a file" }).click(),
      ]);
      await chooser.setFiles(file);
    };
    // It is held until it was stopped: no machine is too slow to stop it.
    const stopped = Promise.withResolvers<void>();
    await page.route("**/v1/files?*", async (route) => {
      await stopped.promise;
      await route.continue().catch(() => undefined);
    });
    await choose();
    await page.getByRole("status", { name: "Uploading more.csv" }).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Choose a file" }).waitFor();
    expect(await page.getByRole("alert").count(), "stopping is no fault").toBe(0);
    stopped.resolve();
    await page.unroute("**/v1/files?*");
    await choose();
    await page.getByLabel("Dataset name").waitFor();
    await declarePeople(page, "who");
    await bounds(page, "salary", "71234500", "71534600");
    await page.getByLabel("Most rows (optional)").fill("400,000");
    await page.getByLabel("Population").selectOption({ label: "the same people as in staff" });
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "Give budget on more" }).waitFor(); // their ledger is open already
    await page.getByRole("link", { name: "Go to more" }).click();
    await page.getByRole("tab", { name: "Budget" }).click();
    await page.getByText(/The people in (staff and more|more and staff) are the same/).waitFor();
    await page.context().close();
  });
});
