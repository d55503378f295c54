import { readFile } from "node:fs/promises";
import { checkExport } from "@dosimeter/verify";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";
import { counted, type Hand, tabsTo } from "./walk.kit.ts";

// Two of four people who read only the screen: they type no address and know no id. The first admin is in
// doors.long.test.ts, the steward with both tables in first-dataset.long.test.ts.
const [ANALYST, LEAD, AUDITOR] = ["Ana", "Lea", "Audrey"];
const MAX_CLICKS = 5;
const MAX_CLICKS_WITH_REQUEST = 12;
const MAX_TABS = 8;

describe.skipIf(whyNoBrowser() !== null)("people who read only the screen", () => {
  const demo = stage(openDemo);
  const heading = (page: Page, name: string | RegExp): Locator => page.getByRole("heading", { level: 1, name });
  const menu = (page: Page, name: string): Locator =>
    page.getByRole("navigation", { name: "Main" }).getByRole("link", { name });

  /** From the home page to the answer. */
  async function releaseCount(page: Page, hand: Hand): Promise<void> {
    await hand.click(page.getByRole("link", { name: "New plan" }));
    await heading(page, /^Plan on/).waitFor();
    expect(await tabsTo(page, page.getByRole("button", { name: "Count", exact: true }))).toBeLessThanOrEqual(MAX_TABS);
    await hand.click(page.getByRole("button", { name: "Count", exact: true }));
    await hand.click(page.getByRole("button", { name: "Review and release" }));
    // Of a count of all rows no one chose a value, so nothing is asked about where it was read.
    expect(await page.getByRole("checkbox").count()).toBe(0);
    await hand.click(page.getByRole("button", { name: /^(Spend ε .* and release|Release, spending nothing)$/ }));
    await page.getByText("Receipt and exact statement").waitFor();
    const answer = page.getByRole("region", { name: "Count", exact: true });
    await answer
      .locator(".big-number")
      .getByText(/^\d\d,\d{3}$/)
      .waitFor();
  }

  test("the analyst comes by a link and reads the first answer after at most 5 clicks, that on the link among them; a suggestion is at most 8 Tabs away", async () => {
    const { page, troubles } = await demo.visit();
    const hand = counted();
    await page.goto(await demo.host.link(ANALYST));
    hand.tick(); // The link itself, in a mail or a terminal.
    await releaseCount(page, hand);
    await expectAccessible(page);
    expect(hand.clicks()).toBeLessThanOrEqual(MAX_CLICKS);
    expect(troubles).toEqual([]);
  });

  test("the analyst asks for more, is offered some, accepts it and spends it", async () => {
    const ana = await demo.visit();
    await ana.page.clock.install();
    const hand = counted();
    await ana.page.goto(await demo.host.link(ANALYST));
    await hand.click(menu(ana.page, "Datasets"));
    await hand.click(ana.page.getByRole("link", { name: "adults", exact: true }));
    await hand.click(ana.page.getByRole("link", { name: "Ask for budget" }).first());
    await ana.page.getByLabel("ε", { exact: true }).fill("0.2");
    await ana.page.getByLabel("What it is for").fill("Incomes by county");
    await hand.click(ana.page.getByRole("button", { name: "Send the request" }));
    await ana.page.getByRole("tab", { name: "Submitted", selected: true }).waitFor();
    await hand.click(menu(ana.page, "Home"));
    await ana.page.getByText("One of your own requests is waiting for an answer.").waitFor();

    const lea = await demo.visit();
    await lea.page.goto(await demo.host.link(LEAD));
    await heading(lea.page, /^Welcome/).waitFor();
    await menu(lea.page, "Requests").click();
    await lea.page
      .getByRole("article")
      .filter({ hasText: "Incomes by county" })
      .getByRole("button", { name: "Decide" })
      .click();
    await lea.page.getByLabel("Offer another amount").check();
    await lea.page.getByLabel("ε to offer").fill("0.15");
    await lea.page.getByRole("button", { name: "Offer ε 0.15" }).click();
    await lea.page.getByText("offer made").first().waitFor();

    // She need not load the page again: the notification of the offer brings it.
    await ana.page.clock.fastForward(30_000);
    await hand.click(ana.page.getByRole("button", { name: "Accept ε 0.15 on adults" }));
    await expect.poll(() => ana.page.getByRole("main").innerText()).toMatch(/of 1\.15 free/);
    await releaseCount(ana.page, hand);
    expect(hand.clicks()).toBeLessThanOrEqual(MAX_CLICKS_WITH_REQUEST);
    expect([...ana.troubles, ...lea.troubles]).toEqual([]);
  });

  test("the auditor reads the ledger, recomputes it, takes it along, and finds no way to spend", async () => {
    const { page, troubles } = await demo.visit({ acceptDownloads: true });
    const hand = counted();
    const spendsNothing = async () => {
      for (const name of [/^Plan/, /^New plan/, /Ask for budget/])
        expect(await page.getByRole("link", { name }).count(), String(name)).toBe(0);
    };
    await page.goto(await demo.host.link(AUDITOR));
    await hand.click(menu(page, "Datasets"));
    await hand.click(page.getByRole("link", { name: "adults", exact: true }));
    await page.getByRole("link", { name: "Check the ledger line by line" }).waitFor();
    await spendsNothing();
    await hand.click(page.getByRole("tab", { name: "Ledger" }));
    await page
      .getByRole("row", { name: /Ana Silva/ })
      .first()
      .waitFor();
    await hand.click(page.getByRole("button", { name: "Recompute in this browser" }));
    await page.getByText("It adds up", { exact: true }).waitFor();
    const saving = page.waitForEvent("download");
    await hand.click(page.getByRole("button", { name: "Download signed export" }));
    const file = await (await saving).path();
    expect(await checkExport(await readFile(file, "utf8"))).toMatchObject({ ok: true });
    await spendsNothing();
    await expectAccessible(page);
    expect(troubles).toEqual([]);
  });
});
