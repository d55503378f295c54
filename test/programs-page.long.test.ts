import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

/** Where screenshots go, if anywhere. */
const pictures = process.env.TEST_PICTURES;
const demo = stage(openDemo, { goesOn: true });

async function looked(page: Page, name: string): Promise<void> {
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSideways(page);
    for (const colorScheme of pictures === undefined ? [] : (["light", "dark"] as const)) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(pictures ?? "", `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 1440, height: 900 });
}

async function chosen(page: Page, button: string, file: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: button }).click(),
  ]);
  await chooser.setFiles(file);
}

test.skipIf(whyNoBrowser() !== null)(
  "a program outside is allowed, paid, shown, seconded, and what was published before is counted",
  async () => {
    const folder = temporaryFolder();
    const [ben, dana] = [await signedIn(demo, "Ben"), await signedIn(demo, "Dana")];
    const stated = async (key: string, epsilon: string) => {
      await ben.page.goto(`${demo.url}/datasets/adults/charge`);
      await ben.page.getByLabel("Mechanism").selectOption({ label: "OpenDP: ε, and δ where it is not pure" });
      await ben.page.getByLabel("ε", { exact: true }).fill(epsilon);
      await ben.page.getByLabel("Key").fill(key);
      await ben.page.getByLabel("Purpose").fill("Yearly report");
      await ben.page.getByLabel("Tool (optional)").fill("OpenDP@0.16.0");
      await ben.page.getByRole("button", { name: "Show the price" }).click();
    };
    const charge = () => ben.page.getByRole("button", { name: "Charge", exact: true }).click();

    // The right.
    await stated("report-2026", "0.02");
    await ben.page.getByText("This budget may not pay for programs yet").waitFor();
    expect(await ben.page.getByRole("button", { name: "Charge", exact: true }).isDisabled()).toBe(true);

    // What was typed is there after a reload, also what only this mechanism asks, and on the page of what is not finished.
    await ben.page.reload();
    await ben.page.getByText("What you typed here before is back.").waitFor();
    const typed = () =>
      Promise.all(
        [ben.page.getByLabel("ε", { exact: true }), ben.page.getByLabel("Key"), ben.page.getByLabel("Purpose")].map(
          (field) => field.inputValue(),
        ),
      );
    await expect.poll(typed).toEqual(["0.02", "report-2026", "Yearly report"]);
    await looked(ben.page, "kept");
    await ben.page.goto(`${demo.url}/`);
    await ben.page.getByRole("link", { name: "A program on adults" }).click();
    await expect.poll(typed).toEqual(["0.02", "report-2026", "Yearly report"]);

    const ledger = async (page: Page) => {
      await page.goto(`${demo.url}/datasets/adults?tab=ledger`);
      await page.getByRole("heading", { name: "Made outside" }).waitFor();
    };
    await ledger(dana.page);
    await dana.page.getByText("Who may pay for programs outside").click();
    await dana.page.getByLabel("Budget that pays").selectOption({ label: "Public health › Ben Okafor" });
    await dana.page.getByLabel("Most ε of one charge").fill("0.2");
    await dana.page.getByLabel("A second person approves above ε").fill("0.05");
    await dana.page.getByRole("button", { name: "Save the right" }).click();
    await dana.page.getByText("Saved: it may pay for programs outside.").waitFor();
    await looked(dana.page, "right");

    // A charge, and the same key after the page was left.
    await stated("report-2026", "0.02");
    await ben.page.getByText("It fits.").waitFor();
    await charge();
    const line = /report-2026 is charged, line (\d+) of the ledger/;
    const first = await ben.page.getByText(line).textContent();
    expect(await ben.page.getByText("What you typed here before is back").count(), "it was sent").toBe(0);
    await looked(ben.page, "charged");
    await stated("report-2026", "0.02");
    await ben.page.getByText(/It was charged on .*: the same key takes nothing more\./).waitFor();
    await charge();
    expect(await ben.page.getByText(line).textContent()).toBe(first);
    await stated("report-2026", "0.03");
    await ben.page.getByText("IDEMPOTENCY_CONFLICT").waitFor();

    // Evidence: the hash of a file that stays here.
    await ledger(ben.page);
    await ben.page.getByRole("link", { name: "report-2026" }).click();
    await ben.page.getByLabel("Commit").fill("4f1c0de");
    await ben.page.getByLabel("Container").fill("sha256:abc");
    await ben.page.getByLabel("SHA-256 of the result").fill("abc");
    await ben.page.getByText("This is no SHA-256, must be 64 hexadecimal digits.").waitFor();
    await writeFile(join(folder, "result.csv"), "age,count\n34,2\n");
    await chosen(ben.page, "Compute it from a file", join(folder, "result.csv"));
    const hash = createHash("sha256").update("age,count\n34,2\n").digest("hex");
    await expect.poll(() => ben.page.getByLabel("SHA-256 of the result").inputValue()).toBe(hash);
    await looked(ben.page, "evidence-form");
    await ben.page.getByRole("button", { name: "Attach the evidence" }).click();
    await ben.page.getByText(`SHA-256 of the result: ${hash}`).waitFor();
    await ben.page.getByText(/Made outside with OpenDP 0\.16\.0, charged by Ben Okafor as report-2026/).waitFor();
    await looked(ben.page, "evidence");

    // It stands among the released answers, to be cited.
    await ben.page.goto(`${demo.url}/datasets/adults/released`);
    const outside = ben.page.getByRole("row", { name: /Yearly report.*made outside.*Ben Okafor/ });
    await outside.waitFor();
    await looked(ben.page, "released");
    await outside.getByRole("link", { name: "Yearly report" }).click();
    await ben.page.getByText(`SHA-256 of the result: ${hash}`).waitFor();

    // A second person: one charge approved and made, one refused.
    for (const key of ["train-7", "train-8"]) {
      await stated(key, "0.06");
      await ben.page
        .getByText(/needs a second person/)
        .first()
        .waitFor();
      await charge();
      await ben.page.getByText("It waits for an admin of adults").waitFor();
    }
    await dana.page.goto(`${demo.url}/requests`);
    const asked = (page: Page, key: string) => page.getByRole("article", { name: `Ben Okafor asks to charge ${key}` });
    await looked(dana.page, "waiting");
    await asked(dana.page, "train-8").getByRole("button", { name: "Refuse" }).click();
    await asked(dana.page, "train-8").waitFor({ state: "detached" });
    await asked(dana.page, "train-7").getByRole("button", { name: "Approve" }).click();
    await asked(dana.page, "train-7").getByText("Dana Ortiz approved it.").waitFor();
    await ben.page.getByRole("link", { name: "see what was decided" }).click();
    await asked(ben.page, "train-8").getByText("Dana Ortiz refused it.").waitFor();
    await asked(ben.page, "train-7").getByRole("button", { name: "Charge it now" }).click();
    await asked(ben.page, "train-7").waitFor({ state: "detached" });

    // What was published before: a row that is not understood, then one that fits, and one that does not.
    const spends = join(folder, "spends.csv");
    const heading = "key,on,where,epsilon,delta,rowsPerUnit\n";
    const price = async (rows: string) => {
      await writeFile(spends, heading + rows);
      await ledger(dana.page);
      await dana.page.getByText("Count what was published before").click();
      await chosen(dana.page, "Choose the file", spends);
    };
    const row = (name: string) => dana.page.getByRole("row", { name: new RegExp(name) });
    const count = dana.page.getByRole("button", { name: "Count them" });
    await price("r1,2024-05-01,Report 2024,0.1,,6\nr2,,Nowhere,0.1,,6\nr4,2024-05-01,Few rows,0.1,,1\n");
    await row("row 2")
      .getByText(/on.* must be given/)
      .waitFor();
    await row("r1").getByText("fits").waitFor();
    await row("r4")
      .getByText(/^RowsPerUnit is 1, must be .* at least 6/)
      .waitFor();
    expect(await count.isDisabled()).toBe(true);
    await price("r1,2024-05-01,Report 2024,0.1,,6\n");
    await row("r1").getByText("fits").waitFor();
    await looked(dana.page, "import");
    await count.click();
    await dana.page.getByText("Counted: 1").waitFor();
    await price("r1,2024-05-01,Report 2024,0.1,,6\nr3,2023-05-01,Report 2023,90,,6\n");
    await row("r1").getByText("counted before").waitFor();
    await row("r3").getByText("does not fit").waitFor();
    await dana.page.getByText("Not all of it fits the lifetime").waitFor();
    await looked(dana.page, "over");

    // Each place says what the guarantee relies on, and who vouches.
    await dana.page.goto(`${demo.url}/datasets/adults`);
    await dana.page.getByText(/allows, provided that 3 programs outside did what they declared\.$/).waitFor();
    await dana.page.getByText("Exact statement").first().click();
    await dana.page
      .getByText(/3 programs outside did what they declared/)
      .first()
      .waitFor();
    await dana.page.getByRole("row", { name: /train-7.*Ben Okafor/ }).waitFor();
    await dana.page.getByRole("row", { name: /r1.*Dana Ortiz.*Report 2024/ }).waitFor();
    await looked(dana.page, "certificate");
    await dana.page.goto(`${demo.url}/datasets/adults?tab=governance`);
    await dana.page.getByLabel("Anyone can read this guarantee without signing in").check();
    await dana.page.getByRole("link", { name: "the public page" }).click();
    await dana.page.getByText("Published 2024-05-01, Report 2024").waitFor();
    expect(await dana.page.getByRole("main").getByText("Ben Okafor").count(), "a public page names nobody").toBe(0);
    await looked(dana.page, "public");

    // Over its lifetime: the list says so, in the words of the import.
    await price("r1,2024-05-01,Report 2024,0.1,,6\nr3,2023-05-01,Report 2023,90,,6\n");
    await dana.page.getByRole("button", { name: "Count them and freeze the ledger" }).click();
    const over = "over its lifetime: of what was published before, ε = 90 does not fit";
    await dana.page.getByRole("status").getByText(over, { exact: false }).waitFor();
    await ben.page.goto(`${demo.url}/datasets`);
    await ben.page
      .getByRole("row", { name: /adults/ })
      .getByText(over)
      .waitFor();
    await looked(ben.page, "frozen");

    // Only this was refused on the way, and said.
    const expected = /409|Failed to load resource/;
    expect([...ben.troubles, ...dana.troubles].filter((trouble) => !expected.test(trouble))).toEqual([]);
  },
);
