import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";
import { counted } from "./walk.kit.ts";

const STEWARD = "Sara Steward";
const MAX_CLICKS = 15;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Real tables that are no part of the project; lines end in CR there. */
const shared = process.env.TEST_TABLES ?? join(root, "../shared/data");

/** What the published code book says; nothing of it was read from the rows. */
const PUMS = `state  State  0-56
puma  Area  0-99999
sex  Sex  0=male; 1=female
age  Age  0-120 years
educ  Schooling  1-16
income  Income a year  -20000 to 1000000
latino  Latino  boolean
black  Black  boolean
asian  Asian  boolean
married  Married  boolean
divorced  Divorced  boolean
uscitizen  US citizen  boolean
children  Children  boolean
disability  Disability  boolean
militaryservice  Military service  boolean
employed  Employed  boolean
englishability  English  boolean
fips  County  0-99999`;

const small = {
  name: "small.csv",
  bytes: Buffer.from(
    `sex;age;income\r${Array.from({ length: 30 }, (_, row) => `${row % 2};${20 + row};${row * 1000}`).join("\r")}\r`,
  ),
};

interface Table {
  readonly name: string;
  readonly bytes: () => Promise<Buffer>;
  /** Why the walk is left out on this machine. */
  readonly absent?: string;
}

const sharedTable = (name: string): Table => ({
  name,
  bytes: () => readFile(join(shared, name)),
  ...(existsSync(join(shared, name)) ? {} : { absent: `there is no ${name} next to the project` }),
});

const tables: readonly Table[] = [
  { name: small.name, bytes: async () => small.bytes },
  sharedTable("pums5_california_10000.csv"),
  sharedTable("pums5_fulton_ga_25766.csv"),
];

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("from a table to a shared budget", () => {
  const place = stage(() => openPlatform(STEWARD));

  async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
    const transfer = await page.evaluateHandle(
      ([title, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], title));
        return data;
      },
      [name, bytes.toString("base64")] as const,
    );
    await page.getByRole("region", { name: "Your table" }).dispatchEvent("drop", { dataTransfer: transfer });
  }

  test.for(tables)("$name in at most 15 clicks", async ({ name, bytes, absent }, { skip }) => {
    if (absent !== undefined) skip(absent);
    const { page, troubles } = await signedIn(place, STEWARD);
    const hand = counted();
    const title = name.replace(".csv", "");
    await page.goto(`${place.url}/datasets`);
    await hand.click(page.getByRole("link", { name: "New dataset" }).first());
    await page.getByRole("heading", { level: 1, name: "New dataset" }).waitFor();
    await drop(page, name, await bytes());
    await page.getByLabel("Dataset name").waitFor();
    await hand.click(page.getByRole("button", { name: "Paste a code book …" }));
    await page.getByRole("dialog").getByRole("textbox", { name: "Code book or schema" }).fill(PUMS);
    await hand.click(page.getByRole("button", { name: "Fill the columns" }));
    await page.getByText(/columns filled/).waitFor();
    expect(await page.getByLabel("Categories of sex").inputValue()).toBe("0=male; 1=female");
    if (await page.getByLabel("Type of X", { exact: true }).isVisible())
      await hand.choose(page.getByLabel("Type of X", { exact: true }), "Leave out");
    await hand.choose(page.getByLabel("Privacy unit"), "Each row");
    await page.getByLabel(/Approximate number of rows/).fill("20,000");
    await hand.click(page.getByRole("button", { name: "Declare the dataset" }));
    // The code book allows an income that these rows do not have.
    await hand.click(page.getByRole("button", { name: "Declare it all the same" }));

    await page.getByRole("heading", { level: 1, name: `Open the ledger of ${title}` }).waitFor();
    await hand.click(page.getByRole("button", { name: "Use this: ε 1", exact: true }));
    expect(await page.getByLabel("ε", { exact: true }).inputValue()).toBe("1");
    await page.getByText(/no one learns much more about one \w+ than ε = 1 allows/).waitFor();
    await hand.click(page.getByLabel(/I have read the guarantee/));
    await expectAccessible(page);
    await hand.click(page.getByRole("button", { name: "Open the ledger" }));

    await page.getByRole("heading", { level: 1, name: `Give budget on ${title}` }).waitFor();
    await page.getByLabel("Name of the team").fill(`Readers of ${title}`);
    // More than there is gets a reason, before a team is made.
    await page.getByLabel("ε", { exact: true }).fill("1.5");
    await page.getByText("This is more than can be given: at most ε 1.").waitFor();
    expect(await page.getByRole("button", { name: "Give budget" }).isDisabled()).toBe(true);
    await page.getByLabel("ε", { exact: true }).fill("0.5");
    await expectAccessible(page);
    await hand.click(page.getByRole("button", { name: "Give budget" }));

    await page.getByRole("heading", { level: 1, name: `Invite to ${title}` }).waitFor();
    await hand.click(page.getByRole("button", { name: "Make a link" }));
    const link = await page.getByLabel("Invitation link").inputValue();
    await expectAccessible(page);
    expect(hand.clicks()).toBeLessThanOrEqual(MAX_CLICKS);

    // The link leads a newcomer to the dataset that the team has budget on.
    const newcomer = await place.visit();
    await newcomer.page.goto(link);
    await newcomer.page.getByLabel("Your name").fill(`Nora of ${title}`);
    await newcomer.page.getByLabel("E-mail").fill(`nora-${link.slice(-9)}@example.org`);
    await newcomer.page.getByLabel("Password", { exact: true }).fill("a long pass phrase");
    await newcomer.page.getByRole("button", { name: "Join" }).click();
    await newcomer.page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await newcomer.page.getByRole("link", { name: "Ask for budget" }).waitFor();
    expect([...troubles, ...newcomer.troubles]).toEqual([]);
  });

  test("the line is left and taken up where it stopped, and any step after the ledger can wait", async () => {
    const { page } = await signedIn(place, STEWARD, { viewport: { width: 390, height: 844 } });
    await page.goto(`${place.url}/datasets/new`);
    await drop(page, "left.csv", Buffer.from("who\tnote\r1\ta\r"));
    await page.getByLabel("Dataset name").waitFor();
    await page.getByLabel("Type of note").waitFor(); // the tab was found
    await page.getByLabel("Privacy unit").selectOption("Each row");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "Open the ledger of left" }).waitFor();
    await expectNoSideways(page);
    const line = page.url();
    await page.getByRole("link", { name: "Go to left" }).click();
    await page.getByRole("heading", { level: 1, name: "left", exact: true }).waitFor();
    await page.goto(line);
    await page.getByLabel("ε", { exact: true }).fill("1");
    await page.getByText(/no one learns much more about one \w+ than ε = 1 allows/).waitFor();
    await page.getByLabel(/I have read the guarantee/).check();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("button", { name: "Later" }).click();
    await page.getByText("No team of yours has budget here").waitFor();
    await page.getByRole("link", { name: "Go to left" }).click();
    await page.getByRole("link", { name: "Continue the set-up" }).click();
    await page.getByRole("heading", { level: 1, name: "Give budget on left" }).waitFor();
    await expectNoSideways(page);
  });

  test("every problem at once, each with a way to its cell; keys move and a block of a spreadsheet is pasted", async () => {
    const { page } = await signedIn(place, STEWARD);
    await page.goto(`${place.url}/datasets/new`);
    await drop(page, "grid.csv", Buffer.from("age,income,sex\n1,2,f\n"));
    await page.getByLabel("Dataset name").fill("");
    await page.getByLabel("Lower bound of age").fill("ten");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("7 fields").waitFor();
    await expectAccessible(page);
    expect(await page.getByLabel("Lower bound of age").inputValue()).toBe("ten");
    await alert.getByRole("button", { name: "income: At most" }).click();
    await page.getByText("“At most” of income is empty, must be a number.").waitFor();
    await page.keyboard.type("500");
    await page.keyboard.press("Enter"); // sex has no bound: the focus stays
    await page.keyboard.press("ArrowUp");
    await page.keyboard.type("120");
    expect(await page.getByLabel("Upper bound of age").inputValue()).toBe("120");
    expect(await page.getByLabel("Upper bound of income").inputValue()).toBe("500");
    await page.getByLabel("Lower bound of age").evaluate((cell) => {
      const data = new DataTransfer();
      data.setData("text/plain", "0\t99\n1\t100000");
      cell.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    expect(await page.getByLabel("Upper bound of income").inputValue()).toBe("100000");
    await page.getByLabel("Categories of sex").fill("f=female; m=male");
    await page.getByLabel("Dataset name").fill("grid");
    await page.getByLabel("Privacy unit").selectOption("Each row");
    await alert.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("button", { name: "Declare it all the same" }).click();
    await page.getByRole("heading", { level: 1, name: "Open the ledger of grid" }).waitFor();
  });
});
