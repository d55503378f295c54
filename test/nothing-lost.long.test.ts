import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

/** Where screenshots go, if anywhere. */
const pictures = process.env.TEST_PICTURES;

describe.skipIf(whyNoBrowser() !== null)("nothing that was typed is lost", () => {
  const demo = stage(openDemo);

  const banner = (page: Page) => page.getByRole("status").filter({ hasText: "The server has not answered" });
  const state = (page: Page, text: RegExp) => page.getByRole("status").filter({ hasText: text }).first().waitFor();
  const kept = (page: Page) => state(page, /^Kept$/);
  const keptHere = (page: Page) => state(page, /^Kept in this browser/);
  const row = (page: Page, number: number) => page.getByRole("row", { name: new RegExp(`^Statistic ${number}:`) });
  const unfinished = (page: Page) => page.getByRole("region", { name: "Not finished" });

  async function choose(page: Page, number: number, heading: string, value: string): Promise<void> {
    const cell = row(page, number).locator(`[data-label="${heading}"]`);
    await cell.press("Enter");
    if (heading === "Statistic") await cell.locator("input[role=combobox]").fill(value);
    else await cell.locator("select").selectOption(value);
    await page.keyboard.press("Enter");
  }
  async function share(page: Page, number: number, text: string): Promise<void> {
    const cell = row(page, number).locator('[data-label="Share of ε"]');
    await cell.press("F2");
    await cell.locator("input").fill(text);
    await page.keyboard.press("Enter");
  }
  const shareOf = (page: Page, number: number) => row(page, number).locator('[data-label="Share of ε"]').textContent();
  const typedHere = (page: Page) =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("dosimeter/typed/")));

  /** The server is gone while `act` types; the page stays, says so once, and shows no other fault. */
  async function away(page: Page, act: () => Promise<void>): Promise<void> {
    await demo.host.stop();
    await act();
    await banner(page).waitFor();
    expect(await page.getByRole("alert").count(), "a fault beside the banner").toBe(0);
  }
  async function back(page: Page): Promise<void> {
    await demo.host.start();
    await banner(page).waitFor({ state: "detached" });
  }
  async function pictured(page: Page, name: string): Promise<void> {
    for (const colorScheme of pictures === undefined ? [] : (["light", "dark"] as const))
      for (const width of [1440, 390]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png` });
      }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1440, height: 900 });
  }

  test("a plan: reload, a dead server, a closed tab, a second tab, a session that ends, and the release", async () => {
    const { page: first, context } = await signedIn(demo, "Ana");
    let page = first;
    const address = `${demo.url}/datasets/adults/plan`;
    await page.goto(address);
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.getByRole("button", { name: "Add a statistic" }).click();
    await choose(page, 2, "Statistic", "mean"); // of nothing yet
    await kept(page);
    await page.reload();
    await row(page, 2).locator('[data-label="Statistic"]').filter({ hasText: "mean" }).waitFor();
    expect(await typedHere(page)).toEqual([]);

    // Back from elsewhere.
    await page.getByRole("link", { name: "Datasets", exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name: "Datasets" }).waitFor();
    await page.goBack();
    await row(page, 2).waitFor();

    // The server goes while a row is typed, and while a part of the page is asked for that is not here yet.
    await away(page, async () => {
      await choose(page, 2, "Variable", "age");
      await keptHere(page);
      await page.getByRole("button", { name: "SQL", exact: true }).click();
    });
    await pictured(page, "plan-away");
    await expectAccessible(page);
    await row(page, 2).waitFor();
    await back(page);
    await page.getByRole("dialog", { name: /SQL/ }).waitFor();
    await page.keyboard.press("Escape");
    await kept(page);

    // The tab is closed before the server is back.
    await away(page, () => share(page, 2, "0.0123"));
    await keptHere(page);
    await page.close();
    await demo.host.start();
    page = await context.newPage();
    await page.goto(address);
    await expect.poll(() => shareOf(page, 2)).toContain("0.0123");
    await kept(page);
    expect(await typedHere(page)).toEqual([]);

    // A second tab shows it; the person decides at the second.
    const other = await context.newPage();
    await other.goto(address);
    await expect.poll(() => shareOf(other, 2)).toContain("0.0123");
    await share(other, 2, "0.02");
    await kept(other);
    await share(page, 2, "0.03");
    await page.getByRole("heading", { name: "It was changed elsewhere" }).waitFor();
    await pictured(page, "plan-elsewhere");
    await page.getByRole("button", { name: "Keep what is here" }).click();
    await kept(page);
    await share(other, 2, "0.04");
    await other.getByRole("button", { name: "Open what is there" }).click();
    await expect.poll(() => shareOf(other, 2)).toContain("0.03");
    await other.close();

    // Everything before payment can be undone: also starting over.
    await page.getByRole("button", { name: "Start over" }).click();
    await page.getByRole("heading", { name: "Start with a statistic" }).waitFor();
    await page.keyboard.press("Control+z");
    await expect.poll(() => shareOf(page, 2)).toContain("0.03");
    await row(page, 1).locator('[data-label="Remove"]').press("Enter");
    await row(page, 2).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await expect.poll(() => shareOf(page, 2)).toContain("0.03");
    await kept(page);

    // The session ends: the way in leads back, with what was typed since.
    const held = Promise.withResolvers<void>();
    await page.route("**/v1/drafts/*", (route) => held.promise.then(() => route.continue()));
    await share(page, 1, "0.06");
    await context.clearCookies();
    const cell = row(page, 2).locator('[data-label="Share of ε"]');
    await cell.press("F2");
    await cell.locator("input").fill("0.05");
    held.resolve();
    await page.getByRole("button", { name: /^Continue as Ana/ }).click();
    await expect.poll(() => shareOf(page, 2), { message: "a field that was not left" }).toContain("0.05");
    await expect.poll(() => shareOf(page, 1)).toContain("0.06");
    await page.unroute("**/v1/drafts/*");
    await kept(page);

    // A part that the server has no more: a newer version.
    await page.route("**/assets/Shortcuts*", (route) => route.fulfill({ status: 404 }));
    await page.getByRole("button", { name: "Help", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Load this page again" }).waitFor();
    await pictured(page, "newer");
    await expectAccessible(page);
    await page.unroute("**/assets/Shortcuts*");
    await page.getByRole("button", { name: "Load the page again" }).click();
    await expect.poll(() => shareOf(page, 2)).toContain("0.05");

    await page.goto(demo.url);
    await pictured(page, "home");
    await unfinished(page)
      .getByRole("link", { name: /Plan on adults: count/ })
      .click();
    await page.getByRole("button", { name: "Review and release" }).click();
    await page.getByRole("dialog", { name: "Review and release" }).waitFor();
    await context.clearCookies();
    await page
      .getByRole("button", { name: /^Spend/ })
      .click({ timeout: 5000 })
      .catch(() => undefined);
    await page.getByRole("button", { name: /^Continue as Ana/ }).click();
    await page.getByRole("dialog", { name: "Review and release" }).waitFor();
    await page.getByRole("checkbox").first().check();
    await away(page, () => page.getByRole("button", { name: /^Spend/ }).click());
    await back(page);
    await page.getByRole("heading", { name: "The server did not answer" }).waitFor();
    await page.getByRole("button", { name: /^Spend/ }).click();
    await page.waitForURL(/releases/);
    await page.goto(demo.url);
    await page.getByRole("heading", { name: "Latest answers" }).waitFor();
    await expect.poll(() => unfinished(page).count()).toBe(0);
    await page.goto(address);
    await page.getByRole("heading", { name: "Start with a statistic" }).waitFor();
  });

  test("a request and a new dataset; signing out leaves nothing in the browser", async () => {
    const { page: first, context } = await signedIn(demo, "Ana");
    let page = first;
    const reopened = async (path: string): Promise<void> => {
      await page.close();
      await demo.host.start();
      page = await context.newPage();
      await page.goto(demo.url + path);
    };
    await page.goto(`${demo.url}/requests/new`);
    await page.getByLabel("ε", { exact: true }).fill("0.5");
    await away(page, async () => {
      await page.getByLabel("What it is for").fill("The yearly report,\nby ward");
      await page.getByLabel("Expires after").selectOption("90");
      await page.getByRole("button", { name: "Send the request" }).click();
    });
    await pictured(page, "request-away");
    await reopened("/");
    await unfinished(page)
      .getByRole("link", { name: /Request for budget on/ })
      .click();
    await page.getByText("What you typed here before is back").waitFor();
    expect(await page.getByLabel("ε", { exact: true }).inputValue()).toBe("0.5");
    expect(await page.getByLabel("What it is for").inputValue()).toBe("The yearly report,\nby ward");
    expect(await page.getByLabel("Expires after").inputValue()).toBe("90");
    await pictured(page, "request-back");
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("button", { name: "Clear it" }).click();
    await expect.poll(() => page.getByLabel("What it is for").inputValue()).toBe("");
    await expect.poll(() => typedHere(page)).toEqual([]);
    await page.getByLabel("ε", { exact: true }).fill("0.4");
    await expect.poll(() => typedHere(page)).toHaveLength(1);
    await page.getByRole("button", { name: "Send the request" }).click();
    await page.waitForURL(/requests\?box/);
    await expect.poll(() => typedHere(page)).toEqual([]);

    const folder = temporaryFolder();
    await writeFile(join(folder, "visits.csv"), "who,age\n1,30\n2,31\n");
    await page.goto(`${demo.url}/datasets/new`);
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await chooser.setFiles(join(folder, "visits.csv"));
    await page.getByLabel("Dataset name").fill("visits of 2024");
    await kept(page);
    await away(page, async () => {
      await page.getByLabel("Upper bound of age").fill("12");
      await keptHere(page);
      await page.getByLabel("Upper bound of age").fill("120x");
    });
    await back(page);
    await kept(page);
    await away(page, () => page.getByLabel("Lower bound of age").fill("18"));
    await reopened("/");
    await unfinished(page)
      .getByRole("link", { name: /visits of 2024/ })
      .click();
    await expect.poll(() => page.getByLabel("Lower bound of age").inputValue()).toBe("18");
    expect(await page.getByLabel("Upper bound of age").inputValue()).toBe("120x");
    await kept(page);

    // What waits is sent before a person leaves; what only this browser has goes with them.
    await page.goto(`${demo.url}/requests/new`);
    await page.getByLabel("What it is for").fill("never sent");
    await expect.poll(() => typedHere(page)).toHaveLength(1);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("never sent");
    expect(await typedHere(page)).toEqual([]);
  });
});
