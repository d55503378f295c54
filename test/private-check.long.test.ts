import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { signedIn as clientOf } from "../packages/server/src/demo/sign-in.ts";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

/** Where screenshots go, if anywhere. */
const pictures = process.env.TEST_PICTURES;
const WARDS = ["A", "B", "unknown", " a", "C"];
/** The last patient has two rows, a ward of its own, and an age above the bounds. */
const CSV = [
  "who,age,ward,score",
  ...Array.from({ length: 60 }, (_, row) => `${row},${20 + row},${WARDS[row % 4]},${row}`),
  "59,131,C,0",
  "",
].join("\n");

const demo = stage(openDemo);

/** The message that a press made has the focus, and its beginning is on the screen. */
async function expectBegun(page: Page, says: string): Promise<void> {
  const begun = (): Promise<readonly [string, boolean]> =>
    page.evaluate(() => {
      const [said, { top = -1 }] = [document.activeElement, document.activeElement?.getBoundingClientRect() ?? {}];
      return [said?.textContent ?? "", top >= 0 && top < innerHeight - 40] as const;
    });
  await expect.poll(begun).toEqual([expect.stringContaining(says), true]);
}

test.skipIf(whyNoBrowser() !== null)(
  "a steward checks how a file fits, mends the declaration, and is marked for it",
  async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "visits.csv"), CSV);
    const { page, context, troubles } = await signedIn(demo, "Ana");
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "New dataset" }).first().click();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await chooser.setFiles(join(folder, "visits.csv"));
    await page.getByLabel("Dataset name").fill("wards");
    await page.getByLabel("Type of who").selectOption("integer");
    await page.getByLabel("Type of age").selectOption("integer");
    await page.getByLabel("Type of ward").selectOption("category");
    await page.getByLabel("Categories of ward").fill("A\nB\nC\nD");
    await page.getByLabel("Type of score").selectOption("leaveOut");
    await page.getByLabel("Privacy unit").selectOption("who");
    const check = page.getByRole("region", { name: "4 · How it fits" });
    await check.getByText(/marked fitted to the data by its owner/).waitFor();
    // What is missing is named first, and nothing is read.
    await page.setViewportSize({ width: 1440, height: 700 });
    for (let press = 0; press < 2; press++) {
      await check.getByRole("button", { name: "Check how it fits" }).click();
      await page.getByRole("alert").getByRole("button", { name: "age: At least" }).waitFor();
      await expectBegun(page, "This cannot be declared yet");
    }
    await page.getByLabel("Lower bound of age").fill("18");
    await page.getByLabel("Upper bound of age").fill("90");
    // Who declares without a check is shown first what does not fit.
    await page.getByRole("button", { name: "Declare without a check" }).waitFor();
    await page.getByRole("button", { name: "Declare the dataset" }).focus();
    await page.keyboard.press("Enter");
    await check.getByText("The file has 61 rows.").waitFor();
    await expectBegun(page, "The file has 61 rows.");
    const ward = check.getByRole("region", { name: "ward" });
    await ward.getByText("30 rows hold no declared category, and so no group counts them.").waitFor();
    await ward.getByText("differs from “A” in spaces, quotes, capitals or invisible signs only").waitFor();
    await ward.getByText(/Fewer than 10 rows hold these categories/).waitFor();
    await check
      .getByRole("region", { name: "The people and rows" })
      .getByText(/1 value of who has more rows than 1/)
      .waitFor();
    // A hierarchy that is none is named at its field; rows that break what is impossible are counted here and nowhere else.
    await page.getByLabel(/^Lies in.* ward$/).fill("age: A=1");
    await check.getByRole("button", { name: "Check again" }).click();
    await page
      .getByText(/^“Lies in” of ward is "?age"?, must be a declared category column/)
      .first()
      .waitFor();
    await page.getByLabel(/^Lies in.* ward$/).fill("");
    await page.getByLabel("Impossible combinations (optional)").fill("age > 70 and ward = 'B'");
    await check.getByRole("button", { name: "Check again" }).click();
    await check.getByText(/^2 rows break what you declared impossible: ward = 'B' and age > 70\./).waitFor();
    await expectAccessibleInBothThemes(page);
    for (const colorScheme of pictures === undefined ? [] : (["light", "dark"] as const))
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 1000 });
        await check.scrollIntoViewIfNeeded();
        await check.screenshot({ path: `${pictures}/check-${width}-${colorScheme}.png` });
      }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSideways(page);
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.getByLabel("Impossible combinations (optional)").fill("");
    // Each button edits the declaration above.
    const add = ward.getByRole("button", { name: "Add: unknown" });
    await add.focus();
    await page.keyboard.press("Enter");
    expect(await page.getByLabel("Categories of ward").inputValue()).toBe("A; B; C; D; unknown");
    expect(await add.getAttribute("aria-disabled")).toBe("true");
    // The buttons of the values are one stop of Tab, and arrows go from one to the next.
    for (const [key, name] of [
      ["ArrowRight", /^Mark missing: unknown$/],
      ["Home", /^Count as “A”: .*a$/],
      ["End", /^Mark missing: unknown$/],
    ] as const) {
      await page.keyboard.press(key);
      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(name);
    }
    await page.keyboard.press("Tab");
    expect(await add.evaluate((one) => one.closest("[role=toolbar]")?.contains(document.activeElement))).toBe(false);
    const stops = ward.getByRole("toolbar").first().locator("button");
    expect(await stops.evaluateAll((all) => all.filter((one) => one.tabIndex === 0).length)).toBe(1);
    await ward.getByRole("button", { name: "Remove: D" }).click();
    await ward.getByRole("button", { name: "Remove: C" }).click();
    await ward.getByRole("button", { name: "Count as “A”: a" }).click();
    expect(await page.getByLabel(/^Also written.* ward$/).inputValue()).toBe("a=A");
    expect(await page.getByLabel("Categories of ward").inputValue()).toBe("A; B; unknown");
    await check.getByRole("button", { name: "Widen to 18 … 200" }).click();
    expect(await page.getByLabel("Upper bound of age").inputValue()).toBe("200");
    await check.getByText(/You changed the declaration since/).waitFor();
    await check.getByRole("button", { name: "Allow 2 rows" }).click();
    expect(await page.getByLabel("Rows in total").inputValue()).toBe("2");
    await check.getByRole("button", { name: "Check again" }).click();
    await check.getByText("1 row holds no declared category, and so no group counts it.").waitFor();
    expect(await check.getByText("outside the bounds").count()).toBe(0);
    // The values are in this page alone: they leave with it.
    await page.getByRole("button", { name: "Declare it all the same" }).click();
    await page.getByRole("heading", { level: 1, name: "Open the ledger of wards" }).waitFor();
    await page.getByLabel("ε", { exact: true }).fill("1");
    const promised = page.getByRole("region", { name: "The sentence" });
    await promised.getByText(/Fitted to the data by its owner/).waitFor();
    await page.getByLabel("δ", { exact: true }).fill("0.000001");
    await page.getByLabel(/I have read the guarantee/).check();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("link", { name: "Go to wards" }).click();
    await page
      .getByRole("region", { name: "The guarantee", exact: true })
      .getByText(/Fitted to the data by its owner/)
      .waitFor();
    // New rows of the same people are checked before they are a version.
    await page.getByRole("tab", { name: "Columns" }).click();
    await page.getByText(/Fitted to the data by its owner/).waitFor();
    await writeFile(join(folder, "more.csv"), `${CSV}60,40,neverheard,1\n`);
    const [more] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Upload and check" }).click(),
    ]);
    await more.setFiles(join(folder, "more.csv"));
    const fits = page.getByRole("region", { name: "How more.csv fits" });
    await fits.getByText("neverheard").waitFor();
    expect(await fits.getByRole("button", { name: /^Add/ }).count()).toBe(0);
    await expectAccessibleInBothThemes(page);
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/check-version.png`, fullPage: true });
    await fits.getByRole("button", { name: "Make more.csv the next version" }).click();
    await fits.waitFor({ state: "detached" });
    await page
      .getByRole("cell", { name: "2", exact: true })
      .or(page.getByRole("rowheader", { name: "2", exact: true }))
      .waitFor();
    expect(await page.content()).not.toContain("neverheard");
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      "unknown",
    );
    expect(troubles).toEqual([]);
    await context.close();
  },
);

/** Rows of a few columns, as they are found in files that people declared wrongly. */
const rowsOf = (head: string, row: (at: number) => string, count = 300): string =>
  [head, ...Array.from({ length: count }, (_, at) => row(at)), ""].join("\n");
const one = <T>(at: number, of: readonly T[]): T => of[at % of.length] as T;

/** What a steward in a hurry declares: types, then fields, the unit, and what the page says before anything is paid. */
const hurried: readonly {
  readonly name: string;
  readonly file: string;
  readonly types: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly unit?: string;
  readonly says: readonly RegExp[];
}[] = [
  {
    name: "a range among categories, bounds of last year, N/A",
    file: rowsOf("educ,income", (at) => `${1 + (at % 16)},${at % 50 === 7 ? "N/A" : at * 300}`),
    types: { educ: "category", income: "integer" },
    fields: { "Categories of educ": "1-15", "Lower bound of income": "0", "Upper bound of income": "20000" },
    says: [
      /“1-15” is read as 15 values, 1 to 15/,
      /18 rows hold no declared category/,
      /6 rows cannot be read as declared/,
      /rows lie outside the bounds/,
    ],
  },
  {
    name: "a forgotten category, and two rows of one",
    file: rowsOf("id,sex", (at) => `${at % 200},${one(at, ["f", "m", "unknown"])}`),
    types: { id: "text", sex: "category" },
    fields: { "Categories of sex": "f; m" },
    unit: "id",
    says: [/100 rows hold no declared category/, /100 values of id have more rows than 1: 100 rows above it/],
  },
  {
    name: "codes whose labels the file holds",
    file: rowsOf("sex,x", (at) => `${one(at, ["no", "yes"])},${at % 8}`),
    types: { sex: "category", x: "leaveOut" },
    fields: { "Categories of sex": "0=no; 1=yes" },
    says: [/300 rows hold no declared category/, /is what you call “1”/, /No row holds these categories/],
  },
  {
    name: "quotes in the declaration, spaces and capitals in the file",
    file: rowsOf("sex,x", (at) => `${one(at, [" m", "M", "m ", "f"])},${at % 8}`),
    types: { sex: "category", x: "leaveOut" },
    fields: { "Categories of sex": "'m'; f" },
    says: [/“'m'” is read without its quotes/, /75 rows hold no declared category/, /M\s+75 rows · differs from “m”/],
  },
  {
    name: "another unit, and a comma before fractions",
    file: rowsOf("grams;share", (at) => `${2700 + at * 10};0,${at % 10}`),
    types: { grams: "integer", share: "number" },
    fields: {
      "Lower bound of grams": "2",
      "Upper bound of grams": "7",
      "Lower bound of share": "0",
      "Upper bound of share": "1",
    },
    says: [/300 rows lie outside the bounds.*are they in another unit\?/, /Read it as written: 1\.234,5/],
  },
];

test.skipIf(whyNoBrowser() !== null).for(hurried)(
  "before anything is paid the steward is shown $name",
  async ({ name, file, types, fields, unit = "Each row", says }) => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "t.csv"), file);
    const { page, troubles } = await signedIn(demo, "Ana");
    await page.goto(`${demo.url}/datasets/new`);
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await chooser.setFiles(join(folder, "t.csv"));
    await page.getByLabel("Dataset name").fill(name);
    for (const [column, type] of Object.entries(types))
      await page.getByLabel(`Type of ${column}`, { exact: true }).selectOption(type);
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label).fill(text);
    expect(await page.getByLabel("Privacy unit").inputValue(), "nothing is preselected").toMatch(/^unchosen/);
    await page.getByLabel("Privacy unit").selectOption(unit);
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    const check = page.getByRole("region", { name: "4 · How it fits" });
    await check.getByText("The file has 300 rows.").waitFor();
    const said = await page.getByRole("main").innerText();
    for (const each of says) expect(said).toMatch(each);
    await page.getByRole("button", { name: "Declare it all the same" }).waitFor();
    if (name.startsWith("codes")) {
      const declares = check.getByRole("button", { name: "Declare all 2 as written" });
      await declares.focus();
      await page.keyboard.press("Enter");
      expect(await declares.getAttribute("aria-disabled")).toBe("true");
      expect(await declares.evaluate((button) => button === document.activeElement)).toBe(true);
      expect(await page.getByLabel("Categories of sex").inputValue()).toBe("no; yes");
      await check.getByRole("button", { name: "Check again" }).click();
      await check.getByText(/holds no declared|hold no declared/).waitFor({ state: "detached" });
    }
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
    expect(troubles).toEqual([]);
  },
);

test.skipIf(whyNoBrowser() !== null)(
  "a mean of income by sex ± 10 is offered as no other question, and capped it is no good one",
  async () => {
    const client = await clientOf({ url: demo.url, fetch }, await demo.host.link("Ana"));
    const text = rowsOf(
      "sex,income",
      (at) => `${at % 2},${((at * 7919) % 50_000) + (at % 40 === 0 ? 300_000 : 0)}`,
      1000,
    );
    const { id: file } = await client.uploadFile({ name: "pums.csv", content: new TextEncoder().encode(text) });
    const columns = {
      sex: { type: "category", categories: ["0", "1"] },
      income: { type: "integer", lower: 0, upper: 500_000 },
    };
    const declaration = { name: "pums", privacyUnit: "row", size: { assumed: 1000 }, columns };
    const { id: dataset } = await client.createDataset({ file, declaration: declaration as never });
    const { id: ledger } = await client.openLedger({ dataset, epsilon: "5", delta: "0.000001" });
    const { person } = await client.me();
    await client.createAccount({ ledger, holder: { kind: "person", id: person.id }, epsilon: "5" });
    const { page, troubles } = await signedIn(demo, "Ana");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: demo.url });
    await page.goto(`${demo.url}/datasets/${dataset}/plan`);
    await page.getByRole("button", { name: "Count", exact: true }).click();
    const cell = (row: number, heading: string) =>
      page.getByRole("row", { name: new RegExp(`^Statistic ${row}:`) }).locator(`[data-label="${heading}"]`);
    await cell(1, "Variable").waitFor();
    const means = "statistic\tvariable\tgroupBy\tupper\nmean\tincome\tsex\t\nmean\tincome\tsex\t10800";
    await page.evaluate((lines) => navigator.clipboard.writeText(lines), means);
    await cell(1, "Statistic").focus();
    await page.keyboard.press("Control+v");
    await cell(3, "Variable").waitFor();
    // The capped one: what capping changes is not known, so its small noise makes it no good answer.
    expect(await cell(3, "Fitness").innerText()).toMatch(/unknown/);
    await cell(2, "Error ±").focus();
    await page.keyboard.press("F2");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("10");
    await page.keyboard.press("Enter");
    const needs = page.getByText(/Needs ε [\d,]+, .* available/).first();
    await needs.waitFor();
    // What is available is what the way out takes.
    const [, most] = /Take the most there is, ε ([\d.]+)/.exec(await page.locator(".ways-out").innerText()) ?? [];
    if (most !== undefined) expect(await needs.innerText()).toContain(`, ${most} available`);
    for (const way of await page.locator(".way").all()) expect(await way.innerText()).not.toMatch(/good|± 9\.99/);
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/capped.png`, fullPage: true });
    expect(await cell(3, "Settings").innerText()).toContain("10,800");
    expect(troubles).toEqual([]);
  },
);
