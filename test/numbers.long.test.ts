import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, fileHost, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

/** What no number field takes. Each was once read as another number by some field. */
const BAD = ["0,5x", "1.2.3", "--1", "1e", "12abc"] as const;

/** Numbers that some field takes, at the ends of what it takes. */
const EXTREME = ["0", "1e-9", "1e9", "1e10"] as const;

/** Every field for a number that can be seen and changed. */
const numberFields = (page: Page): Locator =>
  page.locator('input[inputmode="decimal"]:visible:enabled, input[inputmode="numeric"]:visible:enabled');

/** What a field shows and says to a screen reader: its text, and what describes it, with its error. */
const shownBy = (field: Locator) =>
  field.evaluate((input: HTMLInputElement) => ({
    text: input.value,
    isWrong: input.getAttribute("aria-invalid") === "true",
    says: (input.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  }));

/** Types what is no number into a field: the text stays, with the reason next to it. */
async function refuse(field: Locator, name: string): Promise<void> {
  for (const bad of BAD) {
    await field.fill(bad);
    await field.blur();
    await expect
      .poll(() => shownBy(field), { message: `${name}: ${bad}` })
      .toEqual({ text: bad, isWrong: true, says: expect.stringMatching(/must be/i) });
  }
}

const nameOf = (field: Locator): Promise<string> =>
  field.evaluate((input: HTMLInputElement) => input.getAttribute("aria-label") ?? input.labels?.[0]?.textContent ?? "");

/** Types what is no number into each field of the page. Says the names of the fields. */
async function refuseEverywhere(page: Page): Promise<readonly string[]> {
  expect(await page.locator("input[type=number]").count()).toBe(0);
  const names: string[] = [];
  const count = await numberFields(page).count();
  for (let at = 0; at < count; at++) {
    const field = numberFields(page).nth(at);
    const name = await nameOf(field);
    const before = await field.inputValue();
    await refuse(field, name);
    for (const extreme of EXTREME) {
      await field.fill(extreme);
      await expect.poll(() => field.isVisible(), { message: `${name}: ${extreme} stops the page` }).toBe(true);
    }
    await field.fill(before);
    await field.blur();
    await expect.poll(async () => (await shownBy(field)).isWrong, { message: name }).toBe(false);
    names.push(name);
  }
  return names;
}

describe.skipIf(reason !== null)("numbers typed into the pages", () => {
  const files = stage(fileHost);
  const demo = stage(openDemo);

  test.each([
    ["plan", 5],
    ["accountants", 3],
    ["trade-offs", 3],
    ["privacy-at-risk?panel=meaning", 3],
    ["privacy-at-risk?panel=sensitivity", 9],
    ["privacy-at-risk?panel=compensation", 6],
    ["privacy-at-risk?panel=composition", 3],
    ["epsilon", 6],
  ] as const)("Explore %s: what is no number stays as typed, with the reason next to it", async (path, least) => {
    const { page, troubles } = await files.visit({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${files.host.url}#/explore/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await numberFields(page).first().waitFor();
    if (path === "plan") {
      await page.getByRole("button", { name: "Settings", exact: true }).click();
      await page.getByLabel("β, chance of a larger error").waitFor();
    }
    const names = await refuseEverywhere(page);
    expect(names.length, names.join(", ")).toBeGreaterThanOrEqual(least);
    expect(troubles).toEqual([]);
  });

  test("δ 1e-5 is δ 0.00001 and -1 is no δ: the values that fields used to read as others", async () => {
    const { page, troubles } = await files.visit({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${files.host.url}#/explore/accountants`);
    const delta = page.getByLabel("δ", { exact: true });
    const budget = page.getByLabel("Budget ε");
    for (const text of ["1e-5", "10^-5", "10⁻⁵", "0.00001"]) {
      await delta.fill("0.001");
      await page.getByText(/^Total at δ = 0\.001/).waitFor();
      await delta.fill(text);
      await page.getByText(/^Total at δ = 10⁻⁵/).waitFor();
      expect(await delta.inputValue()).toBe(text);
    }
    for (const [text, shown] of [
      ["20,000", "20,000"],
      ["20 000", "20,000"],
      ["1/4", "0.25"],
    ] as const) {
      await budget.fill(text);
      await page.getByText(`room left in ε = ${shown}`).waitFor();
    }
    for (const text of ["0,5", "-1", "1e9"]) {
      await budget.fill(text);
      await page.getByText(`This is “${text}”, must be a number from 0 to 1,000,000`).waitFor();
      expect(await budget.inputValue()).toBe(text);
      await page.getByText("Correct the marked fields to see the totals.").waitFor();
      expect(await page.getByText(/^Total at δ/).count()).toBe(0);
    }
    await expectAccessible(page);
    expect(troubles).toEqual([]);
  });

  test("in the grid of a plan a refused text stays in its cell, and a good one is read as what it says", async () => {
    const { page, troubles } = await files.visit({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${files.host.url}#/explore/plan`);
    await page.getByRole("button", { name: /^Five statistics/ }).click();
    const cell = (heading: string) =>
      page.getByRole("row", { name: /^Statistic 1:/ }).locator(`[data-label="${heading}"]`);
    const type = async (heading: string, text: string) => {
      await cell(heading).click();
      await cell(heading).locator("input").fill(text);
      await page.keyboard.press("Enter");
    };
    for (const heading of ["Target ±", "Error ±", "Share of ε"])
      for (const bad of ["0,5", "-1", "12abc"]) {
        await type(heading, bad);
        await page
          .getByText(new RegExp(`This is “${bad}”, must be a number above 0`))
          .first()
          .waitFor();
        expect(await cell(heading).innerText()).toContain(bad);
        expect(await cell(heading).getAttribute("aria-invalid")).toBe("true");
      }
    await type("Share of ε", "1/8");
    await expect.poll(() => cell("Share of ε").innerText()).toBe("0.125");
    await type("Share of ε", "1/3");
    await expect.poll(() => cell("Share of ε").innerText()).toBe("0.333");
    expect(await cell("Share of ε").locator("span").first().getAttribute("title")).toBe("0.333333333333");
    expect(troubles).toEqual([]);
  });

  test("the pages of a dataset: raise, write off, accounts, requests, reports and the ledger's terms", async () => {
    const { page, troubles } = await signedIn(demo, "Dana", { viewport: { width: 1440, height: 1000 } });
    await page.goto(`${demo.url}/datasets`);
    await page.getByRole("link", { name: "adults", exact: true }).click();
    const names: string[] = [];
    for (const [tab, shown] of [
      ["Budget", page.getByText("Approve small requests in advance").first()],
      ["Ledger", page.getByRole("region", { name: "Totals by accountant" }).getByLabel("δ of the totals")],
      ["Governance", page.getByText("Rule, overbooking, freezing")],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await shown.click();
      names.push(...(await refuseEverywhere(page)));
    }
    await page.getByRole("button", { name: "Raise the lifetime" }).click();
    await page.getByRole("dialog").getByLabel("ε", { exact: true }).waitFor();
    names.push(...(await refuseIn(page, page.getByRole("dialog"))));
    expect(names.join(", ")).toMatch(/δ of the totals/);
    expect(names.join(", ")).toMatch(/Reports add up/);
    expect(names.length, names.join(", ")).toBeGreaterThanOrEqual(5);
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Budget" }).click();
    await page.getByRole("button", { name: "Give budget to …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Limits", { exact: true }).click();
    expect(await refuseIn(page, dialog)).toEqual(["ε", "δ (optional)", "Limit for one charge, ε"]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Change the budget of Public health", exact: true }).click();
    for (const [choice, fields] of [
      ["Give it more", ["ε", "δ (optional)"]],
      ["Take some back", ["ε", "δ (optional)"]],
      [/^Take back as much as is free/, ["ε", "δ (optional)"]],
      ["Give some of it to another budget", ["ε", "δ (optional)"]],
      ["Change its limits or end date", ["Limit for one charge, ε"]],
    ] as const) {
      await dialog.getByRole("radio", { name: choice }).check();
      expect(await refuseIn(page, dialog), String(choice)).toEqual(fields);
    }
    expect(troubles).toEqual([]);
  });

  test("asking for quota: the amount and its δ", async () => {
    const { page, troubles } = await signedIn(demo, "Ana", { viewport: { width: 390, height: 844 } });
    await page.goto(`${demo.url}/requests/new`);
    await page.getByLabel("ε", { exact: true }).waitFor();
    expect(await refuseEverywhere(page)).toEqual(["ε", "δ (optional)"]);
    await page.getByLabel("ε", { exact: true }).fill("1/3");
    await page.getByText("Taken as 0.333333333333, rounded down.").waitFor();
    await expectAccessible(page);
    expect(troubles).toEqual([]);
  });
});

/** The same for the fields of a dialog, which cover those of the page. */
async function refuseIn(page: Page, dialog: Locator): Promise<readonly string[]> {
  const names: string[] = [];
  const fields = dialog.locator('input[inputmode="decimal"]:visible');
  for (let at = 0; at < (await fields.count()); at++) {
    const field = fields.nth(at);
    const before = await field.inputValue();
    const name = await nameOf(field);
    await refuse(field, name);
    expect(await dialog.locator("button[type=submit]").isEnabled(), name).toBe(false);
    await field.fill(before);
    names.push(name);
  }
  expect(await page.getByRole("dialog").count()).toBe(1);
  return names;
}
