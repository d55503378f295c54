import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();
const [ANALYST, LEAD] = ["Ana", "Lea"];

describe.skipIf(reason !== null)("requests in the browser", () => {
  const demo = stage(openDemo);

  async function ask(page: Page, epsilon: string, note: string): Promise<void> {
    await page.getByRole("link", { name: "Ask for budget" }).first().click();
    await page.getByRole("heading", { level: 1, name: "Ask for budget" }).waitFor();
    await page.getByLabel("ε", { exact: true }).fill(epsilon);
    await page.getByLabel("What it is for").fill(note);
    await page.getByRole("button", { name: "Send the request" }).click();
    await page.getByRole("tab", { name: "Submitted", selected: true }).waitFor();
    await page.getByText(note).first().waitFor();
  }

  const card = (page: Page, note: string) => page.getByRole("article").filter({ hasText: note });

  async function decide(page: Page, note: string): Promise<void> {
    await page.goto(`${demo.url}/requests`);
    await card(page, note).getByRole("button", { name: "Decide" }).click();
    await page
      .getByRole("dialog")
      .getByText(/free\./)
      .waitFor();
  }

  test("asked from the dataset page, approved in part, and seen by both", async () => {
    const ana = await signedIn(demo, ANALYST);
    await ana.page.goto(`${demo.url}/requests`);
    await ana.page.getByText("Nothing is waiting for you").waitFor();
    await ana.page.goto(`${demo.url}/datasets`);
    await ana.page.getByRole("link", { name: "adults", exact: true }).click();
    await ask(ana.page, "0.2", "Ages by county");
    await card(ana.page, "Ages by county").getByText("waiting").waitFor();

    const lea = await signedIn(demo, LEAD);
    await decide(lea.page, "Ages by county");
    await lea.page.getByLabel("ε to grant").fill("9");
    await lea.page.getByText("At most what was asked, 0.2").waitFor();
    expect(await lea.page.getByRole("button", { name: "Grant ε 9" }).isDisabled()).toBe(true);
    await lea.page.getByLabel("ε to grant").fill("0.05");
    await lea.page.getByRole("button", { name: "Grant ε 0.05" }).click();
    await card(lea.page, "Ages by county").getByText("approved in part").waitFor();

    await ana.page.reload();
    await card(ana.page, "Ages by county").getByText("approved in part").waitFor();
    await card(ana.page, "Ages by county").getByText("Granted").waitFor();
    expect([...ana.troubles, ...lea.troubles]).toEqual([]);
  });

  test("an offer is made and accepted; another request is withdrawn", async () => {
    const [ana, lea] = [await signedIn(demo, ANALYST), await signedIn(demo, LEAD)];
    await ana.page.goto(`${demo.url}/requests`);
    await ask(ana.page, "0.3", "Incomes, first try");
    await decide(lea.page, "Incomes, first try");
    await lea.page.getByLabel("Offer another amount").check();
    await lea.page.getByLabel("ε to offer").fill("0.01");
    await lea.page.getByRole("button", { name: "Offer ε 0.01" }).click();
    await card(lea.page, "Incomes, first try").getByText("offer made").waitFor();
    await ana.page.reload();
    await ana.page.getByRole("button", { name: "Accept ε 0.01" }).click();
    await card(ana.page, "Incomes, first try").getByText("approved", { exact: true }).waitFor();

    await ask(ana.page, "0.3", "Incomes, second try");
    await card(ana.page, "Incomes, second try").getByRole("button", { name: "Withdraw" }).click();
    await card(ana.page, "Incomes, second try").getByText("withdrawn", { exact: true }).waitFor();
  });

  test("more than is free: refused with the reason, and the request still waits", async () => {
    const [ana, lea] = [await signedIn(demo, ANALYST), await signedIn(demo, LEAD)];
    await ana.page.goto(`${demo.url}/requests`);
    await ask(ana.page, "100", "Everything");
    await decide(lea.page, "Everything");
    await lea.page.getByRole("button", { name: "Grant ε 100" }).click();
    await lea.page.getByText("QUOTA_UNAVAILABLE").waitFor();
    await lea.page.getByRole("button", { name: "Back", exact: true }).click();
    await card(lea.page, "Everything").getByText("waiting").waitFor();
  });

  test("the pages are accessible, in the light and in the dark, and fit a phone", async () => {
    const { page } = await signedIn(demo, LEAD, { viewport: { width: 390, height: 844 } });
    const look = async () => {
      await page.waitForLoadState("networkidle");
      await expectNoSideways(page);
      await expectAccessibleInBothThemes(page);
    };
    await page.goto(`${demo.url}/requests`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await look();
    await card(page, "Everything").getByRole("button", { name: "Decide" }).click();
    await page.getByLabel("Decision").waitFor();
    await look();
    await page.goto(`${demo.url}/requests/new`);
    await page.getByLabel("What it is for").waitFor();
    await look();
  });

  test("rejected with its reason; asked again at once, the page says how long to wait", async () => {
    const [ana, lea] = [await signedIn(demo, ANALYST), await signedIn(demo, LEAD)];
    await decide(lea.page, "Everything");
    await lea.page.getByLabel("Reject", { exact: true }).check();
    expect(await lea.page.getByRole("button", { name: "Reject" }).isDisabled()).toBe(true);
    await lea.page.getByLabel("Reason").fill("Use what you have first");
    await lea.page.getByRole("button", { name: "Reject" }).click();
    await card(lea.page, "Everything").getByText("rejected", { exact: true }).waitFor();
    await ana.page.goto(`${demo.url}/requests?box=submitted`);
    await ana.page.getByText("Use what you have first").waitFor();
    await ana.page.getByRole("link", { name: "Ask for budget" }).first().click();
    await ana.page.getByLabel("ε", { exact: true }).fill("90");
    await ana.page.getByRole("button", { name: "Send the request" }).click();
    await ana.page.getByText("this was rejected; it can be asked for again in 24 hours").waitFor();
  });
});
