import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();
const ANALYST = "Ana";
const AUDITOR = "Audrey";

describe.skipIf(reason !== null)("the pages with their server", () => {
  const demo = stage(openDemo);

  test("a link signs in, two statistics are planned, quoted, released once, and read again for free", async () => {
    const { page, troubles } = await signedIn(demo, ANALYST);
    expect(page.url(), "the secret does not stay in the address").not.toContain("#");
    await page.getByRole("link", { name: "Datasets", exact: true }).click();
    await page.getByRole("link", { name: "adults", exact: true }).click();
    await page.getByRole("heading", { name: "Released answers" }).waitFor();
    await page.getByRole("link", { name: "Plan a release" }).click();

    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.getByRole("button", { name: "Add a statistic" }).click();
    await choose(page, 2, "Statistic", "histogram");
    await choose(page, 2, "Variable", "education");
    // The demo has a count already, and perhaps a histogram that is as good: new ones are paid for.
    await drawAgain(page);
    await commit(page.getByLabel("ε for this plan"), "0.2");
    await page.getByText("fits", { exact: true }).waitFor();
    const before = await leftOf(page, ANALYST, 1);
    const after = await leftOf(page, ANALYST, 2);
    expect(round(before - after)).toBe(0.2);

    await page.getByRole("button", { name: "Review and release" }).click();
    const spend = page.getByRole("button", { name: "Spend ε 0.2 and release" });
    // The categories are declared: no one chose a value that could come from the data.
    await spend.waitFor();
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await spend.dblclick();
    await page.getByText("Receipt and exact statement").waitFor();
    await page.getByRole("img", { name: /^Histogram of Highest schooling/ }).waitFor();
    const answer = page.getByRole("region", { name: "Count", exact: true });
    const [counted = 0] = numbersIn(await answer.locator(".big-number").innerText());
    // A part of ε 0.2, at least 0.02: farther away once in 10¹² runs.
    expect(Math.abs(counted - 20_000)).toBeLessThan(1500);
    await page.getByRole("button", { name: "View as table" }).first().click();
    await expect.poll(() => page.getByRole("row").count()).toBeGreaterThanOrEqual(8);
    const address = page.url();
    const told = await answer.innerText();

    await page.goto(`${demo.url}/releases`);
    await page.goto(address);
    await page.getByText("Receipt and exact statement").waitFor();
    expect(await page.getByRole("region", { name: "Count", exact: true }).innerText()).toBe(told);
    await page.getByRole("link", { name: "adults", exact: true }).click();
    await page.getByRole("link", { name: "Plan a release" }).click();
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.getByText("fits", { exact: true }).waitFor();
    expect(await leftOf(page, ANALYST, 1), "two clicks spent once").toBe(after);
    expect(troubles).toEqual([]);
  });

  test("an answer of the server that comes while someone types leaves the text, which then takes effect", async () => {
    const { page, troubles } = await signedIn(demo, ANALYST);
    await openPlan(page);
    const { promise: typed, resolve } = Promise.withResolvers<void>();
    await page.route(/\/v1\/quotes$/, async (route) => {
      await typed;
      await route.continue();
    });
    await page.getByRole("button", { name: "Count", exact: true }).click();
    const total = page.getByLabel("ε for this plan");
    await total.fill("0.1");
    resolve();
    // The demo has a count already: the row takes it, and the sum of the rows is another one.
    await page.getByText(/^You already have/).waitFor();
    expect(await total.inputValue()).toBe("0.1");
    await total.press("Enter");
    await page.getByText("The answer will be within", { exact: false }).waitFor();
    expect(await cell(page, 1, "Share of ε").innerText()).toBe("0.1");
    expect(await total.inputValue()).toBe("0.1");
    expect(troubles).toEqual([]);
  });

  test("a share over budget stays as a draft with every way out; taking one leads to a plan that fits", async () => {
    const { page } = await signedIn(demo, ANALYST);
    await openPlan(page);
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.getByRole("button", { name: "Add a statistic" }).click();
    await choose(page, 2, "Statistic", "mean");
    await choose(page, 2, "Variable", "age");
    await page.getByRole("button", { name: /^Draw a new one for ε/ }).click();
    // Held: what is left for the other row is not taken from it.
    await type(page, 2, "Share of ε", "0.05");
    const before = await cell(page, 2, "Share of ε").innerText();
    await type(page, 1, "Share of ε", "400");
    const ways = page.getByRole("alert").filter({ hasText: "does not fit" });
    await ways.getByText(/Needs ε 400/).waitFor();
    expect(await cell(page, 1, "Share of ε").innerText(), "what was typed stays in its cell").toBe("400");
    expect(await cell(page, 2, "Share of ε").innerText(), "the plan is as it was").toBe(before);
    expect(await page.getByRole("button", { name: "Review and release" }).isDisabled()).toBe(true);
    await page.locator("main h1").click();
    expect(await ways.isVisible(), "the draft survives the loss of focus").toBe(true);
    await ways.getByRole("button", { name: /^Take the most there is/ }).click();
    await page.getByText("fits", { exact: true }).waitFor();
    await expect.poll(() => ways.count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await ways.getByText(/Needs ε 400/).waitFor();
  });

  test("what is typed wrong stays, is explained, and costs nothing", async () => {
    const { page } = await signedIn(demo, ANALYST);
    await openPlan(page);
    await page.getByRole("button", { name: /^Mean of Age/ }).click();
    await type(page, 1, "Share of ε", "-1");
    await page.getByText(/^This is .*must be/).waitFor();
    expect(await cell(page, 1, "Share of ε").innerText()).toContain("-1");
    await page.getByText("a value is not accepted", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Review and release" }).isDisabled()).toBe(true);
    await cell(page, 1, "Share of ε").press("Enter");
    await page.keyboard.press("Escape");
    await page.getByText("fits", { exact: true }).waitFor();
    await cell(page, 1, "Settings").press("Enter");
    await page.getByLabel("Lower bound").fill("120");
    await page
      .getByText(/Upper must exceed lower/)
      .first()
      .waitFor();
    expect(await page.getByRole("button", { name: "Review and release" }).isDisabled()).toBe(true);
    await page.getByLabel("Lower bound").fill("18");
    await type(page, 1, "Error ±", "0.5");
    await page.getByText("fits", { exact: true }).waitFor();
    const [error = 9] = numbersIn(await cell(page, 1, "Error ±").innerText());
    expect(error).toBeLessThanOrEqual(0.5);
  });

  test("by keyboard alone: arrows, an error typed, a hold, undo twenty times, and every change is said", async () => {
    const { page } = await signedIn(demo, ANALYST);
    await openPlan(page);
    await page.getByRole("button", { name: /^Mean of Age/ }).press("Enter");
    await page.getByRole("button", { name: "Add a statistic" }).press("Enter");
    await choose(page, 2, "Statistic", "count");
    const start = await cell(page, 1, "Share of ε").innerText();
    await cell(page, 1, "Variable").focus();
    for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("F2");
    await page.keyboard.type("0.06");
    await page.keyboard.press("Enter");
    await page.locator("[role=status]", { hasText: /Error of mean of age/i }).waitFor({ state: "attached" });
    expect(await cell(page, 1, "Hold").innerText()).toContain("as typed");
    await cell(page, 1, "Hold").press("Space");
    expect(await cell(page, 1, "Hold").innerText()).toContain("share held");
    await cell(page, 1, "Hold").press("Space");
    expect(await cell(page, 1, "Hold").innerText()).toContain("error held");
    const held = await cell(page, 1, "Share of ε").innerText();
    for (let step = 0; step < 17; step++) await cell(page, 2, "Hold").press("Space");
    for (let step = 0; step < 20; step++) await page.keyboard.press("Control+z");
    expect(await cell(page, 1, "Share of ε").innerText()).toBe(start);
    for (let step = 0; step < 20; step++) await page.keyboard.press("Control+Shift+z");
    expect(await cell(page, 1, "Share of ε").innerText()).toBe(held);
  });

  test("a table that comes late does not take the focus from where a person went meanwhile", async () => {
    const { page } = await signedIn(demo, ANALYST);
    await openPlan(page);
    const { promise: wanted, resolve: letCome } = Promise.withResolvers<void>();
    await page.route(/PlanGrid/, async (route) => {
      await wanted;
      await route.continue();
    });
    await page.getByRole("button", { name: /^Mean of Age/ }).press("Enter");
    const add = page.getByRole("button", { name: "Add a statistic" });
    await add.focus();
    expect(await page.getByRole("grid").count(), "the table is on its way").toBe(0);
    letCome();
    await cell(page, 1, "Variable").waitFor();
    await page.getByText("fits", { exact: true }).waitFor();
    expect(await add.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await page.locator("[data-place='1:0']:focus").waitFor();
  });

  test("one browser can look as each demo person; an auditor sees the ledger and no way to spend", async () => {
    const { page } = await signedIn(demo, ANALYST);
    await page.getByLabel("Viewing as").selectOption({ label: "Audrey Chen" });
    await page.getByRole("heading", { level: 1, name: `Welcome, ${AUDITOR} Chen` }).waitFor();
    await page.getByRole("link", { name: "Verify or export adults" }).waitFor();
    expect(await page.getByText("No budget yet").count()).toBe(0);
    await page.goto(`${demo.url}/datasets/adults?tab=governance`);
    await page.getByText("Exact statement").first().waitFor();
    await page.getByRole("link", { name: "Releases", exact: true }).click();
    await page.getByRole("main").getByRole("link", { name: /by|of/ }).first().click();
    await page.getByRole("button", { name: "Cite" }).waitFor();
    expect(await page.getByRole("link", { name: "Plan again" }).count()).toBe(0);
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "adults", exact: true }).click();
    await page.getByRole("tab", { name: "Ledger" }).click();
    await page.getByRole("heading", { name: "Ledger" }).waitFor();
    expect(await page.getByRole("link", { name: "Plan a release" }).count()).toBe(0);
  });

  test("a link works once; a wrong token is refused in words; every address asks for sign-in", async () => {
    const context = await demo.browser.newContext();
    const page = await context.newPage();
    const link = await demo.host.link(ANALYST);
    await page.goto(link);
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByText("UNAUTHENTICATED").waitFor();
    await page.getByText("Sign in with a password or a token", { exact: true }).click();
    await page.getByText("Sign in with a token", { exact: true }).click();
    await page.getByLabel("Token", { exact: true }).fill("nonsense");
    await page.getByRole("button", { name: "Sign in with the token" }).click();
    await page.getByText("UNAUTHENTICATED").waitFor();
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(page.url()).toContain("next=");
    await context.close();
  });

  test("every page is accessible, in the light and in the dark, and fits a phone", async () => {
    const { page } = await signedIn(demo, ANALYST, { viewport: { width: 390, height: 844 } });
    const look = async () => {
      await page.waitForLoadState("networkidle");
      await expectNoSideways(page);
      await expectAccessibleInBothThemes(page);
    };
    await look();
    await page.getByRole("button", { name: "Open the menu" }).click();
    await look();
    await page.getByRole("dialog").getByRole("link", { name: "Datasets" }).click();
    await page.getByRole("heading", { level: 1, name: "Datasets" }).waitFor();
    await look();
    await page.getByRole("link", { name: "adults", exact: true }).click();
    await page.getByRole("heading", { name: "Released answers" }).waitFor();
    await look();
    await page.getByRole("link", { name: "Verify" }).click();
    await page.getByRole("heading", { name: "Ledger" }).waitFor();
    await look();
    await page.getByRole("link", { name: "Plan a release" }).click();
    await page.getByRole("button", { name: /^Mean of Age/ }).click();
    await cell(page, 1, "Settings").click();
    await page.getByText("fits", { exact: true }).waitFor();
    await look();
    await page.getByRole("button", { name: "Review and release" }).click();
    const attest = page.getByRole("checkbox", { name: /not read from the data/ });
    await attest.waitFor();
    const spend = page.getByRole("button", { name: /^Spend ε .* and release$/ });
    expect(await spend.isDisabled(), "a mean has bounds").toBe(true);
    await attest.check();
    await expect.poll(() => spend.isEnabled()).toBe(true);
    await look();
    await page.goto(`${demo.url}/releases`);
    await page.locator("main tbody a").first().waitFor();
    await look();
    await page.locator("main tbody a").first().click();
    await page.getByText("Receipt and exact statement").waitFor();
    await look();
    await page.goto(`${demo.url}/releases/nothing-here`);
    await page.getByText("NOT_FOUND").waitFor();
    await look();
    await page.goto(`${demo.url}/sign-in`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await look();
  });

  test("the keyboard reaches the page past the menu, and a change of page is said", async () => {
    const { page } = await signedIn(demo, ANALYST);
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "adults", exact: true }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("page");
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Releases", exact: true }).press("Enter");
    await page.locator("[aria-live=polite]", { hasText: "Releases · Dosimeter" }).waitFor({ state: "attached" });
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("page");
  });

  async function openPlan(page: Page): Promise<void> {
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "adults", exact: true }).click();
    await page.getByRole("link", { name: "Plan a release" }).click();
    await page.getByRole("button", { name: "Count", exact: true }).waitFor();
  }
});

/** A cell of the plan's grid, by the number of its statistic and its heading. */
const cell = (page: Page, statistic: number, heading: string): Locator =>
  page.getByRole("row", { name: new RegExp(`^Statistic ${statistic}:`) }).locator(`[data-label="${heading}"]`);

async function type(page: Page, statistic: number, heading: string, text: string): Promise<void> {
  await cell(page, statistic, heading).press("Enter");
  await cell(page, statistic, heading).locator("input").fill(text);
  await page.keyboard.press("Enter");
}

async function choose(page: Page, statistic: number, heading: string, value: string): Promise<void> {
  await cell(page, statistic, heading).press("Enter");
  const field = cell(page, statistic, heading);
  if (heading === "Statistic") await field.locator("input[role=combobox]").fill(value);
  else await field.locator("select").selectOption(value);
  await page.keyboard.press("Enter");
}

async function commit(input: Locator, text: string): Promise<void> {
  await input.fill(text);
  await input.press("Enter");
}

/** ε left of an account in the quote, before (column 1) or after (column 2). */
async function leftOf(page: Page, name: string, column: number): Promise<number> {
  const row = page.getByRole("row", { name: new RegExp(`^${name}`) });
  const [left] = numbersIn(
    await row
      .getByRole("cell")
      .nth(column - 1)
      .innerText(),
  );
  return left ?? Number.NaN;
}

const numbersIn = (text: string): number[] =>
  [
    ...text
      .replaceAll(",", "")
      .replaceAll("−", "-")
      .matchAll(/-?\d+(\.\d+)?/g),
  ].map(([n]) => Number(n));
const round = (value: number): number => Math.round(value * 1e9) / 1e9;

/** Has every row drawn again that an earlier answer would serve, once the quote says which these are. */
async function drawAgain(page: Page): Promise<void> {
  await page.getByText("fits", { exact: true }).waitFor();
  const again = page.getByRole("button", { name: /^Draw a new one for ε/ });
  while ((await again.count()) > 0) {
    const left = await again.count();
    await again.first().click();
    await expect.poll(() => again.count()).toBeLessThan(left);
    await page.getByText("fits", { exact: true }).waitFor();
  }
}
