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
const CSV = [
  "who,age,ward",
  ...Array.from({ length: 40 }, (_, row) => `${row},${20 + row},${"ABC"[row % 3]}`),
  "",
].join("\n");

describe.skipIf(reason !== null)("a new dataset in the browser", () => {
  const demo = stage(openDemo);
  const folder = temporaryFolder();
  beforeAll(async () => {
    await writeFile(join(folder, "clinic.csv"), CSV);
    await writeFile(
      join(folder, "penguins.csv"),
      "Individual ID,Culmen Depth (mm),educ,sex\nN1A1,18.7,3, m\nN1A2,17.4,16,f\n",
    );
    await writeFile(join(folder, "homes.csv"), "street,number,size\nElm,1,4\nElm,1,4\nElm,2,3\nOak,1,2\n");
    await writeFile(join(folder, "other.csv"), CSV.replaceAll(",", ";"));
  });

  async function choose(page: Page, file: string): Promise<void> {
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "New dataset" }).first().click();
    await page.getByRole("heading", { level: 1, name: "New dataset" }).waitFor();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await chooser.setFiles(join(folder, file));
    await page.getByLabel("Dataset name").waitFor();
  }

  test("uploaded, declared, its ledger opened after reading the sentence", async () => {
    const { page, troubles } = await signedIn(demo, OWNER);
    await choose(page, "clinic.csv");
    await page.getByLabel("Type of age").selectOption("integer");
    await page.getByLabel("Lower bound of age").fill("90");
    await page.getByLabel("Upper bound of age").fill("18");
    await page.getByLabel("Type of ward").selectOption("category");
    await page.getByLabel("Categories of ward").fill("A\nB\nC");
    await page.getByLabel("Source of this range: ward").selectOption("public");
    await page.getByLabel("Type of who").selectOption("integer");
    await page.getByLabel("Privacy unit").selectOption("who");
    await page.getByLabel("Unit in words").fill("patient");
    await page.getByLabel(/Approximate number of rows/).fill("20000");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("alert").getByRole("button", { name: "age: At least" }).waitFor();
    await page.getByText(/“At least” of age is 90, must be < “At most” of age/).waitFor();
    expect(await page.content()).not.toContain("41,61");
    await expectAccessible(page);
    await page.getByLabel("Lower bound of age").fill("18");
    await page.getByLabel("Upper bound of age").fill("90");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByText("The file has 40 rows; you said about 20,000.").waitFor();
    await page.getByRole("button", { name: "Declare it all the same" }).click();

    await page.getByRole("heading", { level: 1, name: "Open the ledger of clinic" }).waitFor();
    await page.getByLabel("ε", { exact: true }).fill("1");
    await page.getByLabel("δ", { exact: true }).fill("0.1");
    await page.getByText(/would allow a mechanism that publishes/).waitFor();
    await page.getByLabel("δ", { exact: true }).fill("");
    await page.getByText("Correct the marked fields to see the guarantee.").waitFor();
    expect(await page.getByLabel("δ", { exact: true }).getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("δ", { exact: true }).fill("0.000001");
    const promised = page.getByRole("region", { name: "The sentence" });
    await promised.getByText(/no one learns much more about one patient than ε = 1 allows/).waitFor();
    await promised.getByText("Exact statement").click();
    const exact = promised.getByText(/any one patient is added or removed/);
    await exact.waitFor();
    const sentence = await exact.innerText();
    for (const [extreme, means] of [
      ["20,000", /so large that the guarantee says little/],
      ["1e-5", /hardly any question can be answered/],
    ] as const) {
      await page.getByLabel("ε", { exact: true }).fill(extreme);
      await page.getByText(means).waitFor();
      await page.getByLabel(/I have read the guarantee/).check();
      expect(await page.getByRole("button", { name: "Open the ledger" }).isDisabled()).toBe(true);
      await page.getByLabel("I mean this ε").check();
      await expect.poll(() => page.getByRole("button", { name: "Open the ledger" }).isEnabled()).toBe(true);
    }
    await page.getByLabel("ε", { exact: true }).fill("1");
    await exact.waitFor();
    await page.getByLabel(/I have read the guarantee/).check();
    await page.getByLabel("Declare a ceiling above the lifetime budget").check();
    await page.getByLabel("Ceiling ε").fill("2");
    await page.getByText(/ceiling declared at opening/).waitFor();
    expect(await page.getByLabel(/I have read the guarantee/).isChecked()).toBe(false);
    await page.getByLabel("Declare a ceiling above the lifetime budget").uncheck();
    await page.getByText("Help me choose ε").click();
    expect(await page.getByLabel(/, as declared \(n\)$/).inputValue()).toBe("20000");
    await page.getByText(/^Your ε 1 /).waitFor();
    await expectAccessible(page);
    await page.getByText(sentence.slice(0, 80)).waitFor();
    await page.getByLabel(/I have read the guarantee/).check();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("heading", { level: 1, name: "Give budget on clinic" }).waitFor();
    await page.getByRole("link", { name: "Go to clinic" }).click();
    await page.getByRole("heading", { level: 1, name: "clinic", exact: true }).waitFor();
    // The list of amendments says the sentence of each version too.
    const guarantee = page.getByRole("region", { name: "The guarantee", exact: true });
    await guarantee.getByText("Exact statement").click();
    await guarantee.getByText(sentence.slice(0, 80)).waitFor();
    expect(troubles).toEqual([]);
  });

  test("the same bytes again are the same people, shown only to those who administer them", async () => {
    const { page, context } = await signedIn(demo, OWNER);
    await choose(page, "clinic.csv");
    await page.getByRole("heading", { name: "This is the table of clinic" }).waitFor();
    await page.getByLabel("Dataset name").fill("clinic again");
    await page.getByLabel("Select all columns").check();
    const together = page.getByRole("group", { name: "Set for 3 selected columns" });
    await together.getByLabel("Type").selectOption("text");
    await together.getByRole("button", { name: "Set", exact: true }).click();
    // The tables of one population name the person in the same way.
    await page.getByLabel("Privacy unit").selectOption("Each row");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByText(/a column that names the person/).waitFor();
    await page.getByLabel("Type of who").selectOption("integer");
    await page.getByLabel("Privacy unit").selectOption("who");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "Give budget on clinic again" }).waitFor();
    await page.getByRole("link", { name: "Go to clinic again" }).click();
    await page.getByRole("region", { name: "The guarantee", exact: true }).waitFor();
    await context.close();

    const stranger = await signedIn(demo, "Lea");
    await choose(stranger.page, "clinic.csv");
    expect(await stranger.page.getByText("This is the table of").count()).toBe(0);
  });

  test("a header is read with the character it holds, and again with another", async () => {
    const { page } = await signedIn(demo, OWNER);
    await choose(page, "other.csv");
    await page.getByLabel("Type of ward").waitFor();
    await page.getByLabel("Separator", { exact: true }).selectOption("tab");
    await page.getByLabel("Type of who;age;ward").waitFor();
    await page.getByLabel("Separator", { exact: true }).selectOption("semicolon");
    await page.getByLabel("Type of ward").waitFor();
  });

  test("guesses are shown as guesses, values are read as they are meant, and who is protected is chosen", async () => {
    const { page, troubles } = await signedIn(demo, OWNER);
    await choose(page, "penguins.csv");
    expect(await page.getByLabel("Type of Culmen Depth (mm)").inputValue()).toBe("number");
    expect(await page.getByLabel("Unit of Culmen Depth (mm)").inputValue()).toBe("mm");
    await page.getByText("type and unit guessed from its name").waitFor();
    await page.getByLabel("Lower bound of Culmen Depth (mm)").fill("10,5");
    await page.getByText(/“At least” of Culmen Depth \(mm\) is “10,5”, must be a number.*10\.5/).waitFor();
    await page.getByLabel("Lower bound of Culmen Depth (mm)").fill("10.5");
    await page.getByLabel("Upper bound of Culmen Depth (mm)").fill("25");
    await page.getByRole("button", { name: "Paste a code book …" }).click();
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Read it from a file …" }).click(),
    ]);
    const book = '<var name="educ" intrvl="discrete"><labl>Schooling</labl><catgry><catValu>1</catValu></catgry></var>';
    await chooser.setFiles({
      ...{ name: "book.xml", mimeType: "text/xml" },
      buffer: Buffer.from(`<codeBook><dataDscr>${book}</dataDscr></codeBook>`),
    });
    await page.getByText("1 of 4 columns filled").waitFor();
    expect(await page.getByLabel("Type of educ").inputValue()).toBe("category");
    expect(await page.getByLabel("Label of educ").inputValue()).toBe("Schooling");
    await page.getByLabel("Categories of educ").fill("1-16");
    await page.getByText("“1-16” is read as 16 values, 1 to 16.").waitFor();
    await page.getByLabel("Type of sex").selectOption("category");
    await page.getByLabel("Categories of sex").fill("'m'; f; M");
    await page.getByText("“'m'” is read without its quotes.").waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("button", { name: "Keep “m” only" }).click();
    expect(await page.getByLabel("Categories of sex").inputValue()).toBe("m; f");
    await page.getByLabel("Never missing: sex").check();
    const unit = page.getByLabel("Privacy unit");
    expect(await unit.locator("option").allInnerTexts()).toEqual([
      "Choose what is protected …",
      "Each value of the column Individual ID (offered for its name)",
      "Each row",
      "Each value of the column educ",
      "Each value of the column sex",
      "Each combination of several columns …",
    ]);
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("alert").getByRole("button", { name: "Privacy unit" }).click();
    await page.getByText("“Privacy unit” is not chosen, must be what the guarantee protects").waitFor();
    await unit.selectOption("Individual ID");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "Open the ledger of penguins" }).waitFor();
    expect(troubles).toEqual([]);
  });

  test("several columns that name one home together are chosen by keyboard, and protected as one", async () => {
    const { page, troubles } = await signedIn(demo, OWNER, { viewport: { width: 390, height: 844 } });
    await choose(page, "homes.csv");
    await page.getByLabel("Type of size").selectOption("integer");
    await page.getByLabel("Lower bound of size").fill("1");
    await page.getByLabel("Upper bound of size").fill("9");
    await page.getByLabel("Privacy unit").selectOption("Each combination of several columns …");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("alert").getByRole("button", { name: "Columns that name one together" }).click();
    await page.getByText("must be two to eight columns").waitFor();
    const several = page.getByRole("group", { name: "Columns that name one together" });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await several.getByLabel("number", { exact: true }).focus();
    await page.keyboard.press("Space");
    expect(await several.getByRole("checkbox", { checked: true }).count()).toBe(2);
    await expectNoSideways(page);
    await expectAccessibleInBothThemes(page);
    for (const name of ["street", "number"]) await page.getByLabel(`Type of ${name}`).selectOption("leaveOut");
    await page.getByLabel("Unit in words").fill("home");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("button", { name: "Allow 2 rows" }).click();
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "Open the ledger of homes" }).waitFor();
    const found = await page.evaluate(async () => {
      const { items } = await (await fetch("/v1/datasets?name=homes")).json();
      return (await fetch(`/v1/datasets/${items[0].id}`)).json();
    });
    expect(found.declaration).toMatchObject({
      privacyUnit: { column: "street_number" },
      columns: { street_number: { type: "text" }, size: { type: "integer" } },
    });
    expect(troubles).toEqual([]);
  });

  test("it is accessible, in the light and in the dark, and fits a phone", async () => {
    const { page } = await signedIn(demo, OWNER, { viewport: { width: 390, height: 844 } });
    await choose(page, "other.csv");
    await page.getByLabel("Type of age").selectOption("integer");
    await page.getByLabel("Type of ward").selectOption("category");
    await page.getByLabel("Privacy unit").selectOption("who");
    await expectNoSideways(page);
    await expectAccessibleInBothThemes(page);
  });
});
