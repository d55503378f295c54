import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@dosimeter/client";
import { boundPlan } from "@dosimeter/query/bind";
import { planHash } from "@dosimeter/query/plan";
import { quotePlan } from "@dosimeter/query/quote";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { said } from "../packages/cli/src/terminal.kit.ts";
import {
  built,
  expectAccessible,
  expectNoSideways,
  forgetPlans,
  stage,
  troublesOf,
  whyNoBrowser,
} from "./browser.kit.ts";
import { censusDeclaration, openCensus } from "./census.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const reason = whyNoBrowser();
const folder = temporaryFolder();

/** A cell of the plan's grid, by the number of its statistic and its heading. */
const cell = (page: Page, statistic: number, heading: string): Locator =>
  page.getByRole("row", { name: new RegExp(`^Statistic ${statistic}:`) }).locator(`[data-label="${heading}"]`);

/** What a person at the keyboard does: walks with the arrows from where the focus is to a cell of a row. */
async function walkTo(page: Page, statistic: number, heading: string): Promise<void> {
  const to = (await cell(page, statistic, heading).getAttribute("data-place")) ?? "";
  // A cell that was just committed gives the focus on when the page is drawn again.
  await expect.poll(() => isInGrid(page)).toBe(true);
  const from = (await page.evaluate(() => document.activeElement?.getAttribute("data-place") ?? null)) ?? "";
  const [row = 0, column = 0] = to.split(":").map(Number);
  const [fromRow = 0, fromColumn = 0] = from.split(":").map(Number);
  const press = async (key: string, times: number): Promise<void> => {
    for (let step = 0; step < times; step++) await page.keyboard.press(key);
  };
  await press(row > fromRow ? "ArrowDown" : "ArrowUp", Math.abs(row - fromRow));
  await press(column > fromColumn ? "ArrowRight" : "ArrowLeft", Math.abs(column - fromColumn));
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-place"))).toBe(to);
}

async function typeInto(page: Page, statistic: number, heading: string, text: string): Promise<void> {
  await walkTo(page, statistic, heading);
  await page.keyboard.press("F2");
  await page.keyboard.press("Control+a");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

/** Tab until the focus is on the control with this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 80; step++) {
    const found = await page.evaluate(() => {
      const here = document.activeElement;
      const label = here instanceof HTMLInputElement ? here.labels?.[0]?.textContent : null;
      return here?.getAttribute("aria-label") ?? label ?? here?.textContent ?? "";
    });
    if (name.test(found)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never reaches ${name}`);
}

/** Down a menu that is open, until the focus is on the item with this name. */
async function arrowTo(page: Page, name: string): Promise<void> {
  // The menu takes the focus after it is shown: arrows pressed before that move nothing.
  await page.waitForFunction(() => document.activeElement?.closest('[role="menu"]') != null);
  for (let step = 0; step < 20; step++) {
    if ((await page.evaluate(() => document.activeElement?.textContent ?? "")).startsWith(name)) return;
    await page.keyboard.press("ArrowDown");
  }
  throw new Error(`no ${name} in the menu`);
}

const shareOf = async (page: Page, statistic: number): Promise<number> =>
  Number((await cell(page, statistic, "Share of ε").locator("[title]").first().getAttribute("title")) ?? Number.NaN);

async function dosimeter(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { code, out, err } = await said(args, { env, cwd: folder });
  expect([code, err], args.join(" ")).toEqual([0, ""]);
  return out;
}

const FIVE = [
  "statistic\tvariable",
  "mean\tage",
  "mean\tincome",
  "cdf\tage",
  "histogram\trace",
  "histogram\tmarried",
].join("\n");

describe.skipIf(reason !== null)("planning five statistics of the census", () => {
  const census = stage(() => openCensus(built));

  async function openPlan() {
    const context = await census.browser.newContext({ viewport: { width: 1440, height: 1000 }, acceptDownloads: true });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: census.host.url });
    const troubles = troublesOf(context);
    const page = await context.newPage();
    await page.goto(await census.host.link());
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    await forgetPlans(page);
    await page.goto(`${census.host.url}/datasets/${census.host.dataset}/plan`);
    await page.getByRole("button", { name: "Add a statistic" }).waitFor();
    return { page, context, troubles };
  }

  const client = () => createClient({ url: census.host.url, token: census.host.token });
  const leftNow = async (): Promise<number> =>
    Number((await client().showAccount({ account: census.host.account })).balance.epsilon.left);

  test("what is typed into the list of statistics stays when the server answers meanwhile", async () => {
    const { page, context, troubles } = await openPlan();
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/v1/**", async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("button", { name: "Count", exact: true }).click();
    await page.getByRole("button", { name: "Add a statistic" }).click();
    await cell(page, 2, "Statistic").press("Enter");
    const list = cell(page, 2, "Statistic").locator("input[role=combobox]");
    const answered = ["quotes", "unfinished"].map((route) => page.waitForResponse(`**/v1/${route}`));
    await list.fill("median");
    answer();
    await Promise.all(answered);
    // The price is drawn: the toolbar says what it says of a plan that was quoted.
    await page.getByText("fits", { exact: true }).waitFor();
    await list.press("Enter");
    await cell(page, 2, "Statistic").getByText("median", { exact: true }).waitFor();
    expect(troubles).toEqual([]);
    await context.close();
  });

  test("by keyboard alone: plan, hold, target, a useless row understood and corrected, release, report; the command line costs the same", async () => {
    const { page, troubles } = await openPlan();
    const before = await leftNow();

    // ε = 1 for this plan, and five rows from a spreadsheet.
    await tabTo(page, /^ε for this plan$/);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("1");
    await page.keyboard.press("Enter");
    await tabTo(page, /^Add a statistic$/);
    await page.keyboard.press("Enter");
    await page.evaluate((text) => navigator.clipboard.writeText(text), FIVE);
    await cell(page, 1, "Variable").waitFor(); // the table is loaded with the first row
    await tabTo(page, /^Choose…$/);
    await page.keyboard.press("Control+v");
    await cell(page, 6, "Variable").waitFor();
    await walkTo(page, 1, "Variable");
    await page.keyboard.press("Control+Delete");
    await cell(page, 5, "Variable").waitFor();
    for (let row = 1; row <= 5; row++) expect(await shareOf(page, row)).toBeCloseTo(0.2, 9);

    // An error typed, a row held, a second error: the session of the specification.
    await typeInto(page, 1, "Error ±", "0.5");
    await page.locator("[role=status]", { hasText: /Error of mean of age.*largest:/ }).waitFor({ state: "attached" });
    expect(await shareOf(page, 1)).toBeCloseTo(0.599, 2);
    expect(await shareOf(page, 2)).toBeCloseTo(0.1, 2);
    await walkTo(page, 4, "Hold");
    await page.keyboard.press("Space");
    const held = await shareOf(page, 4);
    await typeInto(page, 2, "Error ±", "2000");
    await page.getByText(/Your edit of mean of age was changed/).waitFor();
    expect(await shareOf(page, 2)).toBeCloseTo(0.3, 2);
    expect(await shareOf(page, 1)).toBeCloseTo(0.45, 2);
    expect(await shareOf(page, 4)).toBe(held);

    // A target, and why the third row is useless; coarser steps and a larger share make it useful.
    await typeInto(page, 2, "Target ±", "2500");
    expect(await cell(page, 2, "Fitness").innerText()).toBe("target met");
    expect(await cell(page, 3, "Fitness").innerText()).toBe("useless");
    await walkTo(page, 3, "Fitness");
    await page.keyboard.press("Enter");
    await page.getByText("At this share it would help:").waitFor();
    // Scrolled, the bar that stays on top hides a part of the button below it, which is then too small to hit.
    await page.evaluate(() => scrollTo(0, 0));
    await expectAccessible(page);

    // An edit that does not fit stays as a draft when the focus goes elsewhere; nothing is lost.
    const draft = page.getByRole("alert").filter({ hasText: "does not fit" });
    await typeInto(page, 3, "Share of ε", "5");
    await draft.getByText(/Needs ε 5/).waitFor();
    await page.keyboard.press("F6");
    await page.keyboard.press("F6");
    expect(await draft.isVisible()).toBe(true);
    await page.evaluate(() => scrollTo(0, 0));
    await expectAccessible(page);
    await tabTo(page, /^Leave the plan as it is$/);
    await page.keyboard.press("Enter");

    // Corrected as the page says: coarser steps, and a larger share.
    await expect.poll(() => isInGrid(page)).toBe(true);
    await walkTo(page, 3, "Statistic");
    await tabTo(page, /^Steps of \d+: ±/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("F6");
    await page.keyboard.press("F6");
    await page.keyboard.press("F6");
    await expect.poll(() => isInGrid(page)).toBe(true);
    await walkTo(page, 1, "Error ±");
    await typeInto(page, 1, "Error ±", "1.5");
    await typeInto(page, 2, "Error ±", "3000");
    expect(["fair", "good"]).toContain(await cell(page, 3, "Fitness").innerText());

    // Twenty steps back and forth end where they began.
    const now = await shareOf(page, 3);
    for (let step = 0; step < 8; step++) {
      await walkTo(page, 5, "Hold");
      await page.keyboard.press("Space");
    }
    await page.keyboard.press("Space");
    for (let step = 0; step < 20; step++) await page.keyboard.press("Control+z");
    for (let step = 0; step < 20; step++) await page.keyboard.press("Control+Shift+z");
    for (let step = 0; step < 9; step++) await page.keyboard.press("Control+z");
    expect(await shareOf(page, 3)).toBe(now);

    // Review with Ctrl+Enter, attest, pay; Enter twice spends once.
    await page.getByText("fits", { exact: true }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog").getByText("What you are about to ask").waitFor({ state: "attached" });
    await expectAccessible(page);
    await tabTo(page, /not read from the data/);
    await page.keyboard.press("Space");
    await tabTo(page, /^Spend ε .* and release$/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByText("Receipt and exact statement").waitFor();
    await expectAccessible(page);
    const spent = before - (await leftNow());
    expect(spent, "twice pressed, once paid").toBeCloseTo(1, 9);

    // The report, as HTML, as PDF, as a plan file.
    const files: string[] = [];
    for (const name of ["Report (HTML)", "Report (PDF)", "Plan file"]) {
      await tabTo(page, /^\s*Download$/);
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name }).waitFor();
      await arrowTo(page, name);
      const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
      const path = join(folder, file.suggestedFilename());
      await file.saveAs(path);
      files.push(path);
    }
    const [html = "", pdf = "", plan = ""] = files;
    expect(readFileSync(html, "utf8")).toContain("How to read ±");
    expect(readFileSync(html, "utf8")).not.toMatch(/<script|src=|href=/);
    expect(readFileSync(pdf, "latin1").startsWith("%PDF-")).toBe(true);

    // The same plan from the command line: the same quote, the same cost, the same kind of report.
    const env = { DOSIMETER_URL: census.host.url, DOSIMETER_TOKEN: census.host.token };
    const quote = JSON.parse(await dosimeter(["plan", "quote", "census", "--plan", plan, "--json"], env));
    expect(quote.cost.epsilon).toBe(String(Number(spent.toFixed(12))));
    // Without a price the command quotes the first one of the page, and never releases at it.
    const unpriced = JSON.parse(await dosimeter(["plan", "quote", "census", "-s", "mean age", "--json"], env));
    expect(Number(unpriced.statistics[0].cost.epsilon)).toBeGreaterThan(0);
    expect(Number(unpriced.statistics[0].cost.epsilon)).toBeLessThanOrEqual((await leftNow()) / 10);
    const silently = { dataset: census.host.dataset, account: census.host.account };
    await expect(
      client().createRelease({ ...silently, plan: { statistics: [{ statistic: "mean", column: "age" }] } }),
    ).rejects.toThrow(/epsilon/);
    const released = JSON.parse(await dosimeter(["release", "census", "--plan", plan, "--json"], env));
    expect(before - (await leftNow())).toBeCloseTo(2, 9);
    const again = await dosimeter(["report", released.id, "-f", "html"], env);
    expect(again).toContain(released.receipt.answersHash);
    await dosimeter(["report", released.id, "-o", "again.pdf"], env);
    expect(readFileSync(join(folder, "again.pdf"), "latin1").startsWith("%PDF-")).toBe(true);

    // Browser, query package and server state the same errors and prices to the last digit.
    const local = quotePlan(boundPlan(JSON.parse(readFileSync(plan, "utf8")), censusDeclaration));
    expect(quote.statistics.map((row: { cost: unknown }) => row.cost)).toEqual(local.map(({ cost }) => cost));
    expect(quote.statistics.map((row: { accuracy: { halfWidth: number } }) => row.accuracy.halfWidth)).toEqual(
      local.map(({ accuracy }) => accuracy.halfWidth),
    );

    // The server refuses a file that was changed, whatever cost it states.
    const edited = { ...JSON.parse(readFileSync(plan, "utf8")), confidence: 0.5 };
    const refused = await client()
      .quotePlan({ dataset: census.host.dataset, account: census.host.account, plan: edited })
      .catch((error: unknown) => error);
    expect(String(refused)).toMatch(/changed after it was saved/);

    // It also refuses a budget above ε = 1 without a written reason.
    const { hash: _, ...plain } = JSON.parse(readFileSync(plan, "utf8"));
    const large = { ...plain, budget: { ...plain.budget, epsilon: "1.5" } };
    const silent = await client()
      .createRelease({
        dataset: census.host.dataset,
        account: census.host.account,
        plan: { ...large, hash: planHash(large) },
      })
      .catch((error: unknown) => error);
    expect(String(silent)).toMatch(/budget\.reason/);

    // Planned again on the data as they are now: the page shows the new cost and the old one.
    await tabTo(page, /^\s*Plan again$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Open the earlier plan" }).waitFor();
    await tabTo(page, /^Open the earlier plan$/);
    await page.keyboard.press("Enter");
    await page.getByText("Paid then").waitFor();
    expect(troubles).toEqual([]);
  });

  test("a plan of more than is left is blocked, says why, and takes all that is left to the last unit", async () => {
    const { page, troubles } = await openPlan();
    const left = await leftNow();
    const paste = async (rows: string): Promise<void> => {
      await cell(page, 1, "Variable").focus();
      await page.evaluate((text) => navigator.clipboard.writeText(text), rows);
      await page.keyboard.press("Control+v");
    };
    await page.getByRole("button", { name: "Mean of age", exact: true }).click();
    // Where δ is what lacks, it is named, with the largest that fits.
    await paste("statistic\tvariable\tgroupBy\tkeys\tdelta\nmean\tage\trace\tselect\t0.0000005");
    await page.getByText("Mara Lind has δ 10⁻⁷ left; the plan needs 5×10⁻⁷.").waitFor();
    await page.getByText("The largest δ that fits is 10⁻⁷. A smaller ε does not help").waitFor();
    expect(await page.getByText(/The largest ε/).count()).toBe(0);
    await expectAccessible(page);
    await cell(page, 2, "Variable").focus();
    await page.keyboard.press("Control+Delete");
    await cell(page, 2, "Variable").waitFor({ state: "detached" });
    // Three rows, so that the division leaves units over.
    await paste("statistic\tvariable\nmean\tincome\nhistogram\trace");
    await cell(page, 3, "Variable").waitFor();
    await page.getByText("fits", { exact: true }).waitFor();
    await page.getByLabel("ε for this plan", { exact: true }).fill("20,000");
    await page.getByLabel("ε for this plan", { exact: true }).press("Enter");
    await page.getByText("more than is left", { exact: true }).waitFor();
    await page
      .getByRole("alert")
      .getByText(/ε of this plan is 20,000, and you have/)
      .waitFor();
    expect(await page.getByText("fits", { exact: true }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Review and release" }).isDisabled()).toBe(true);
    await expectAccessible(page);
    await page
      .locator(".way")
      .getByText(/^ε of the plan/)
      .waitFor();
    await page.getByRole("button", { name: /^Take the most there is/ }).click();
    if (left > 1) {
      await page.getByText("needs a reason", { exact: true }).waitFor();
      await page.getByLabel(/^Why is more than/).fill("A test of the end.");
    }
    await page.getByText("fits", { exact: true }).waitFor();
    expect(await page.locator(".plan-bar").getByText(/10⁻/).count()).toBe(0);
    await page.getByRole("button", { name: "Review and release" }).click();
    await page.getByText("This empties the budget").waitFor();
    expect(troubles).toEqual([]);
  });

  test("two tabs release the same plan: each pays once, what no longer fits is refused, and the page says so", async () => {
    const one = await openPlan();
    const two = await openPlan();
    const left = await leftNow();
    // Two questions, because a second tab would be offered the first one's answer; the count is public here and costs nothing.
    for (const [{ page }, question] of [
      [one, "Mean of age"],
      [two, "Mean of income"],
    ] as const) {
      await page.getByLabel("ε for this plan", { exact: true }).fill(String(left * 0.75));
      await page.getByLabel("ε for this plan", { exact: true }).press("Enter");
      if (left * 0.75 > 1) await page.getByLabel(/^Why is more than/).fill("The last question of this test.");
      await page.getByRole("button", { name: question, exact: true }).click();
      await page.getByText("fits", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Review and release" }).click();
      await page.getByRole("checkbox", { name: /not read from the data/ }).check();
    }
    await one.page.getByRole("button", { name: /^Spend/ }).click();
    await one.page.getByText("Receipt and exact statement").waitFor();
    await two.page.getByRole("button", { name: /^Spend/ }).click();
    await two.page.getByText("QUOTA_EXHAUSTED").or(two.page.getByText("BUDGET_EXHAUSTED")).first().waitFor();
    expect(await leftNow()).toBeCloseTo(left * 0.25, 6);
    await two.page.getByRole("button", { name: "Back to the plan" }).click();
    await two.page.getByText("more than is left", { exact: true }).waitFor();
    expect(await shareOf(two.page, 1)).toBeCloseTo(left * 0.25, 6);
    for (const { context } of [one, two]) await context.close();
  });

  test("every column is summarised in one step, which can be undone", async () => {
    const { page, troubles } = await openPlan();
    const rows = page.getByRole("grid").getByRole("row");
    await page.getByRole("button", { name: "Summarise every column" }).press("Enter");
    await expect.poll(() => rows.count()).toBeGreaterThan(6);
    const left = await leftNow();
    const price = Number(await page.getByLabel("ε for this plan", { exact: true }).inputValue());
    expect(price).toBeGreaterThan(0);
    expect(price).toBeLessThanOrEqual(left / 2);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-place"))).toBe("0:0");
    await expectNoSideways(page);
    await expectAccessible(page);
    if (process.env.SHOT) await page.screenshot({ path: "/tmp/profile.png" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "Summarise every column" }).waitFor();
    expect(troubles).toEqual([]);
  });

  test.each([
    [1440, "light"],
    [390, "dark"],
  ] as const)("every state fits %d px and is accessible, %s", async (width, colorScheme) => {
    const context = await census.browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    await page.goto(await census.host.link());
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    await page.goto(`${census.host.url}/explore/plan`);
    const look = async (): Promise<void> => {
      // From the top: what has scrolled half below a line that stays is no target.
      await page.evaluate(() => scrollTo(0, 0));
      await expectNoSideways(page);
      await expectAccessible(page);
    };
    await page.getByRole("button", { name: /^Five statistics/ }).click();
    // However far one scrolls, the line of the plan is at hand, on a phone below the top bar.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const settings = page.getByRole("button", { name: "Settings" });
    await expect.poll(async () => (await settings.boundingBox())?.y ?? -1).toBeLessThan(120);
    expect((await settings.boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0);
    await page.evaluate(() => scrollTo(0, 0));
    // A boundary of the budget bar, by mouse and by key: two shares change, their sum stays.
    const boundary = page.getByRole("slider", { name: "Boundary between mean of age and mean of income" });
    const box = await boundary.boundingBox();
    if (box === null) throw new Error("no boundary");
    const both = async (): Promise<number> => (await shareOf(page, 1)) + (await shareOf(page, 2));
    const sum = await both();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 - 15, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => shareOf(page, 1)).toBeLessThan(0.19);
    expect(await both()).toBeCloseTo(sum, 6);
    await boundary.press("ArrowRight");
    expect(await both()).toBeCloseTo(sum, 6);
    // The right mouse button drags nothing.
    const before = await shareOf(page, 1);
    const moved = await boundary.boundingBox();
    if (moved === null) throw new Error("no boundary");
    await page.mouse.move(moved.x + moved.width / 2, moved.y + moved.height / 2);
    await page.mouse.down({ button: "right" });
    await page.mouse.move(moved.x + moved.width / 2 - 30, moved.y + moved.height / 2, { steps: 4 });
    await page.mouse.up({ button: "right" });
    expect(await shareOf(page, 1)).toBe(before);
    // A finger that scrolls opens nothing; one that rests, and trembles, opens the holds.
    const held = cell(page, 3, "Hold");
    const finger = { pointerType: "touch", pointerId: 7, button: 0, clientX: 100, clientY: 100 };
    await held.evaluate((element, finger) => {
      // At once: on a busy machine a finger would rest between two calls.
      const moved = { ...finger, clientY: 130 };
      for (const [type, at] of Object.entries({ pointerdown: finger, pointermove: moved }))
        element.dispatchEvent(new PointerEvent(type, { ...at, bubbles: true }));
    }, finger);
    await page.waitForTimeout(700);
    expect(await held.getByRole("combobox").count()).toBe(0);
    await held.dispatchEvent("pointerdown", finger);
    await held.dispatchEvent("pointermove", { ...finger, clientX: 101, clientY: 103 });
    await held.getByRole("combobox").waitFor();
    await held.dispatchEvent("pointerup", finger);
    await held.dispatchEvent("click");
    await page.keyboard.press("Escape");
    // The four holds are a menu under the other button; a formula is checked while it is typed.
    await cell(page, 4, "Hold").click({ button: "right" });
    await cell(page, 4, "Hold").getByRole("combobox").selectOption("error");
    await page.keyboard.press("Escape");
    await cell(page, 4, "Hold").getByText("error held").waitFor();
    await page.getByText(/^Derived columns/).click();
    await page.getByLabel("New column").fill("decade");
    await page.getByLabel("Formula").fill("cut(age, nothing)");
    await page.getByText(/decade.*must be/).waitFor();
    await page.getByLabel("Formula").fill("cut(age, 10)");
    await page.getByText("Will be one of 0, 10, 20, 30, 40, 50 ….").waitFor();
    await page.getByRole("button", { name: "Add the column" }).click();
    await page.getByRole("rowheader", { name: "decade" }).waitFor();
    await page.getByRole("button", { name: "Practise" }).click();
    await page.getByText("Synthetic.", { exact: true }).waitFor();
    await look();
    await page.getByRole("button", { name: "Row details" }).click();
    for (const view of ["Noise", "Bounds"]) {
      await page.getByText(view, { exact: true }).first().click();
      await expectNoSideways(page);
    }
    await page.getByRole("button", { name: "Copy as…" }).click();
    await page.getByRole("dialog").waitFor();
    await expectNoSideways(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Help", exact: true }).click();
    await page.getByRole("dialog").waitFor();
    await look();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Settings", exact: true }).click();
    await page.getByRole("button", { name: /^What is Confidence/ }).click();
    await page.getByText(/^How often the stated errors hold/).waitFor();
    await look();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Settings of the plan" }).waitFor({ state: "detached" });
    await page.getByText("Advanced: is this table a secret sample").click();
    await look();
    await context.close();
  });
});

const isInGrid = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.activeElement?.hasAttribute("data-place") ?? false);
