import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

/** Where screenshots go, if anywhere. */
const pictures = process.env.TEST_PICTURES;
const CSV = "who,age,ward\n1,30,A\n2,131,neverheard\n";

const demo = stage(openDemo);

async function pictured(page: Page, name: string): Promise<void> {
  for (const colorScheme of pictures === undefined ? [] : (["light", "dark"] as const))
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 1000 });
      await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 1000 });
}

const isKept = (page: Page) =>
  page
    .getByRole("status")
    .filter({ hasText: /^Kept$/ })
    .waitFor();

test.skipIf(whyNoBrowser() !== null)(
  "a half-made declaration survives a reload and another tab, and a colleague finishes it",
  async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, "visits.csv"), CSV);
    await writeFile(join(folder, "codes.txt"), "ward  Ward  A=first floor; B=second floor\n");
    const { page, context, troubles } = await signedIn(demo, "Ana");
    await page.goto(`${demo.url}/datasets/new`);
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await chooser.setFiles(join(folder, "visits.csv"));
    await page.getByLabel("Dataset name").fill("half made");
    await page.getByLabel("Type of age").selectOption("integer");
    await page.getByLabel("Upper bound of age").fill("12x");
    // A code book as a file is read by the server.
    await page.getByRole("button", { name: "Paste a code book" }).click();
    await page.getByLabel("Code book or schema as a file").setInputFiles(join(folder, "codes.txt"));
    await page.getByText("1 of 3 columns filled").waitFor();
    await page.getByLabel("Privacy unit").selectOption("who");
    await isKept(page);

    await page.reload();
    expect(await page.getByLabel("Dataset name").inputValue()).toBe("half made");
    const upper = page.getByLabel("Upper bound of age");
    expect(await upper.inputValue()).toBe("12x");
    expect(await page.getByLabel("Categories of ward").inputValue()).toBe("A=first floor; B=second floor");
    expect(await page.getByLabel("Privacy unit").inputValue()).toBe("who");

    // What a check shows is kept nowhere.
    await upper.fill("120");
    await page.getByLabel("Lower bound of age").fill("0");
    await page.getByRole("button", { name: "Check how it fits" }).click();
    await page.getByText("neverheard").first().waitFor();
    await isKept(page);
    const address = page.url();
    await pictured(page, "kept");
    await expectAccessibleInBothThemes(page);

    // In a session that began again it is sent again for its check, and nothing that was typed is lost.
    await context.clearCookies();
    await page.goto(await demo.host.link("Ana"));
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    await page.goto(address);
    const check = page.getByRole("region", { name: "4 · How it fits" });
    await check.getByRole("button", { name: "Check how it fits" }).click();
    await check.getByText("The file came in another session").waitFor();
    await page.getByLabel("Upper bound of age").fill("121");
    await pictured(page, "another-session");
    await expectAccessibleInBothThemes(page);
    const [anew] = await Promise.all([
      page.waitForEvent("filechooser"),
      check.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await anew.setFiles(join(folder, "visits.csv"));
    await check.getByText("The file is here again").waitFor();
    expect(await page.getByLabel("Upper bound of age").inputValue()).toBe("121");
    expect(await page.getByLabel("Categories of ward").inputValue()).toBe("A=first floor; B=second floor");
    await page.keyboard.press("Enter");
    await page.getByText("neverheard").first().waitFor();
    await isKept(page);

    // A second tab goes on; the first one says so instead of undoing it.
    const other = await context.newPage();
    await other.goto(address);
    await other.getByLabel("Dataset name").fill("half made, twice");
    await isKept(other);
    expect(await other.content()).not.toContain("neverheard");
    await page.getByLabel("Dataset name").fill("half made, once");
    await page.getByRole("heading", { name: "It was changed elsewhere" }).waitFor();
    await pictured(page, "elsewhere");
    await page.getByRole("button", { name: "Open what is there" }).click();
    await expect.poll(() => page.getByLabel("Dataset name").inputValue()).toBe("half made, twice");
    await other.close();

    // Back and again: the start lists it.
    await page.goto(`${demo.url}/datasets/new`);
    const listed = page.getByRole("region", { name: "Not finished" });
    await listed.getByRole("link", { name: "Go on with half made, twice" }).waitFor();
    await pictured(page, "not-finished");
    await page.setViewportSize({ width: 390, height: 800 });
    await expectNoSideways(page);
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 1440, height: 1000 });
    await listed.getByRole("link", { name: /half made/ }).click();
    await page.getByRole("button", { name: "Hand it to a colleague" }).click();
    await page.getByLabel("Colleague", { exact: true }).selectOption({ label: "Ben Okafor" });
    await pictured(page, "hand-over");
    await page.getByRole("button", { name: "Hand it over" }).click();
    await page.getByRole("button", { name: "Choose a file" }).waitFor();
    await listed.waitFor({ state: "detached" });

    const ben = await signedIn(demo, "Ben");
    const missing: string[] = [];
    ben.page.on("response", (response) => void (response.status() === 404 && missing.push(response.url())));
    await ben.page.goto(address);
    await ben.page.getByLabel("Dataset name").waitFor();
    expect(await ben.page.getByLabel("Categories of ward").inputValue()).toBe("A=first floor; B=second floor");
    expect(await ben.page.content()).not.toContain("neverheard");
    await ben.page.getByRole("button", { name: "Declare the dataset" }).click();
    await ben.page.getByRole("heading", { name: "The file came in another session" }).waitFor();
    await ben.page.getByRole("button", { name: "Declare without a check" }).click();
    await ben.page.getByRole("heading", { level: 1, name: "Open the ledger of half made, twice" }).waitFor();
    // Ana had seen how it fits.
    await ben.page.goto(`${demo.url}/datasets/new`);
    await ben.page.getByRole("button", { name: "Choose a file" }).waitFor();
    expect(await ben.page.getByRole("region", { name: "Not finished" }).count()).toBe(0);
    const { items } = await demo.host.operator.listDatasets({ name: "half made, twice" });
    expect((await demo.host.operator.showDataset({ dataset: items[0]?.id ?? "" })).isFitted).toBe(true);

    // Deleting one.
    const [again] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await again.setFiles(join(folder, "codes.txt"));
    await isKept(page);
    await page.goto(`${demo.url}/datasets/new`);
    await page.getByRole("button", { name: "Delete codes" }).click();
    await page.getByRole("button", { name: "Delete the declaration" }).click();
    await listed.waitFor({ state: "detached" });
    expect(troubles.filter((trouble) => !/40[39]/.test(trouble))).toEqual([]);
    // What Ana sent is not shown to Ben.
    const others = [...ben.troubles, ...missing].filter((trouble) => !trouble.endsWith("/check"));
    expect(others).toEqual([]);
    await context.close();
    await ben.context.close();
  },
);
