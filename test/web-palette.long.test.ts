import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("the palette", () => {
  const demo = stage(openDemo);

  test("Ctrl+K finds pages, datasets, columns, people and actions by keys alone, and Escape gives the focus back", async () => {
    const { page, troubles } = await signedIn(demo, "Ana");
    const opener = page.getByRole("main").getByRole("link").first();
    await opener.focus();
    await page.keyboard.press("Control+k");
    await field(page).waitFor();
    await option(page, /^New plan on adults/).waitFor();
    await expectAccessibleInBothThemes(page);
    await page.keyboard.press("Escape");
    await field(page).waitFor({ state: "detached" });
    expect(await opener.evaluate((one) => one === document.activeElement)).toBe(true);

    for (const [text, line, address] of [
      ["rele", /^Releases/, "/releases"],
      ["adul", /^adults ?dataset/, "/datasets/adults"],
      ["ledger ad", /^Ledger of adults/, "/datasets/adults?tab=ledger"],
      ["educ", /^Highest schooling ?column education of adults/, "/datasets/adults"],
      ["ben ok", /^Ben Okafor ?person/, "/people"],
      ["public he", /^Public health ?team/, "/teams/Public%20health"],
      ["trade", /^Trade-offs/, "/explore/trade-offs"],
      ["ask budget", /^Ask for budget/, "/requests/new"],
      ["new dataset", /^New dataset/, "/datasets/new"],
      ["export", /^Export answers/, "/releases"],
      ["password", /^Change my password/, "/settings"],
      ["what is δ", /^What is δ/, "/docs/questions.html#what-is-%CE%B4"],
    ] as const) {
      await page.keyboard.press("Meta+k");
      await field(page).fill(text);
      await option(page, line).waitFor();
      await choose(page, line);
      await page.waitForURL(`${demo.url}${address}`);
      await field(page).waitFor({ state: "detached" });
    }
    expect(troubles).toEqual([]);
  });

  test("it keeps the focus when a page arrives behind it, and a line that is chosen when others arrive", async () => {
    const { page, context } = await signedIn(demo, "Ana");
    const [arrive, arrived] = gate();
    await context.route(/\/Tradeoff-/, async (route) => {
      await arrived;
      await route.continue();
    });
    const [answer, answered] = gate();
    await context.route(/\/v1\/search\?/, async (route) => {
      await answered;
      await route.continue();
    });
    await page.keyboard.press("Meta+k");
    await field(page).fill("trade");
    await choose(page, /^Trade-offs/);
    await field(page).waitFor({ state: "detached" });
    await page.keyboard.press("Meta+k");
    await field(page).fill("adults");
    await option(page, /^Search for “adults”/).waitFor();
    for (let step = 0; (await chosen(page)).startsWith("Search for") === false; step++) {
      expect(step).toBeLessThan(60);
      await page.keyboard.press("ArrowDown");
    }
    const place = await option(page, /^Search for “adults”/).boundingBox();
    arrive();
    await page.locator("main h1").getByText("Trade-offs").waitFor();
    answer();
    await option(page, /^adults ?dataset/).waitFor();
    expect(await chosen(page)).toMatch(/^Search for/);
    expect(await option(page, /^Search for “adults”/).boundingBox()).toEqual(place);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${demo.url}/search?text=adults`);
  });

  test("who leaves the search page while its address follows the typing is not called back, and another search takes its place", async () => {
    const { page, context } = await signedIn(demo, "Ana");
    await page.goto(`${demo.url}/search`);
    const [arrive, arrived] = gate();
    await context.route(/\/Notifications-/, async (route) => {
      await arrived;
      await route.continue();
    });
    await page.getByLabel("Search for").fill("adults");
    await page.getByRole("link", { name: /^Notifications/ }).click();
    await page.getByRole("link", { name: "adults", exact: true }).waitFor(); // found: the typing has settled
    await page.waitForTimeout(300);
    arrive();
    await page.getByRole("heading", { level: 1, name: "Notifications" }).waitFor();
    expect(page.url()).toBe(`${demo.url}/notifications`);

    await page.goto(`${demo.url}/search?text=adults`);
    await page.getByRole("link", { name: "adults", exact: true }).waitFor();
    await page.keyboard.press("Meta+k");
    await field(page).fill("visits");
    await option(page, /^Search for “visits”/).click();
    await page.getByRole("link", { name: "visits", exact: true }).waitFor();
    expect(await page.getByLabel("Search for").inputValue()).toBe("visits");
    expect(page.url()).toBe(`${demo.url}/search?text=visits`);
    await page.goBack();
    await page.getByRole("link", { name: "adults", exact: true }).waitFor();
    expect(await page.getByLabel("Search for").inputValue()).toBe("adults");
  });

  test("N plans, ? lists the keys, and both are letters inside a field and a table", async () => {
    const { page } = await signedIn(demo, "Ana");
    await page.goto(`${demo.url}/search`);
    const search = page.getByLabel("Search for");
    await search.focus();
    await page.keyboard.type("n?");
    expect(await search.inputValue()).toBe("n?");
    await page.getByRole("main").focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).getByText("new plan").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("n");
    await option(page, /^New plan on adults/).waitFor();
    await choose(page, /^New plan on adults/);
    await page.waitForURL(/\/datasets\/adults\/plan/);
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.locator("[role=gridcell][tabindex='0']").first().focus();
    await page.keyboard.press("n");
    expect(await field(page).count(), "the table took the key").toBe(0);
    await page.getByRole("main").focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys and words" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(1);
  });

  test("a steward gives budget from it", async () => {
    const { page } = await signedIn(demo, "Dana");
    await page.getByRole("button", { name: "Find or do" }).click();
    await field(page).fill("invite");
    await option(page, /^Invite someone to Public health/).waitFor();
    await field(page).fill("give budget adults");
    await option(page, /^Give budget to … on adults/).click();
    await page.getByRole("dialog", { name: /^Give budget on adults/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.waitForURL(`${demo.url}/datasets/adults?tab=budget`);
  });

  test("a button opens it, on a telephone too; it changes the appearance and signs out", async () => {
    const { page } = await signedIn(demo, "Ben", { viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: "Find or do" }).click();
    await field(page).waitFor();
    await expectNoSideways(page);
    await field(page).fill("dark");
    await option(page, /^Dark mode/).click();
    await page.locator("html[data-mantine-color-scheme=dark]").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Find or do" }).click();
    await field(page).fill("sign out");
    await option(page, /^Sign out/).click();
    await page.waitForURL(/\/sign-in/);
  });
});

const field = (page: Page) => page.getByRole("combobox", { name: "A page, dataset, person, action or question" });

const option = (page: Page, name: RegExp) => page.getByRole("option", { name });

const chosen = async (page: Page) => (await page.locator("[data-combobox-selected]").textContent()) ?? "";

/** A promise, and what fulfils it. */
function gate(): [open: () => void, opened: Promise<void>] {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [open, opened];
}

/** Goes down to a line with the arrow, and presses Enter. */
async function choose(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; (await option(page, name).getAttribute("data-combobox-selected")) === null; step++) {
    expect(step).toBeLessThan(60);
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}
