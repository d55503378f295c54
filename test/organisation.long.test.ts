import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, troublesOf, whyNoBrowser } from "./browser.kit.ts";
import { launch, openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

/** Fifty people, each with an age. */
const CSV = ["who,age", ...Array.from({ length: 50 }, (_, row) => `${row},${20 + (row % 50)}`), ""].join("\n");
const NASTY = "<img src=x onerror=alert(1)>'; DROP TABLE team; --";

/**
 * The source page's example, through pages: a dataset with lifetime 5, teams that hold 2 and 3, members, a request approved
 * in part, and a member who has used everything.
 */
describe.skipIf(reason !== null)("an organisation in the browser", { timeout: 120_000 }, () => {
  let browser: Browser;
  let demo: Awaited<ReturnType<typeof openDemo>>;
  let dataset = "";
  const pages = new Map<string, Page>();
  const contexts: BrowserContext[] = [];
  const troubles: string[][] = [];

  beforeAll(async () => {
    [browser, demo] = await Promise.all([launch(), openDemo()]);
  }, 120_000);
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await browser.close();
    await demo.close();
  });

  async function as(name: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> {
    const open = pages.get(name);
    if (open !== undefined) return open;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    contexts.push(context);
    troubles.push(troublesOf(context));
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(await demo.link(name));
    await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    pages.set(name, page);
    return page;
  }

  async function openTeam(page: Page, name: string): Promise<void> {
    await page.goto(`${demo.url}/teams`);
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Open the team" }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  }

  async function ask(page: Page, what: string, epsilon: string, note: string): Promise<void> {
    await page.goto(`${demo.url}/requests/new?dataset=${dataset}`);
    await page.getByLabel("What you ask for").selectOption({ label: what });
    await page.getByLabel("ε", { exact: true }).fill(epsilon);
    await page.getByLabel("What it is for").fill(note);
    await page.getByRole("button", { name: "Send the request" }).click();
    await page.getByText(note).first().waitFor();
  }

  async function grant(page: Page, note: string, epsilon: string): Promise<void> {
    await page.goto(`${demo.url}/requests`);
    const card = page.getByRole("article").filter({ hasText: note });
    await card.getByRole("button", { name: "Decide" }).click();
    await page.getByLabel("ε to grant").fill(epsilon);
    await page.getByRole("button", { name: `Grant ε ${epsilon}` }).click();
    await card.getByText(/^approved/).waitFor();
  }

  test("a dataset with lifetime 5 is declared and opened by its owner", async () => {
    const page = await as("Dana");
    await page.goto(`${demo.url}/datasets/new`);
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    await chooser.setFiles({ name: "trial.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
    await page.getByLabel("Type of age").selectOption("integer");
    await page.getByLabel("Lower bound of age").fill("0");
    await page.getByLabel("Upper bound of age").fill("100");
    await page.getByLabel("Type of who").selectOption("integer");
    await page.getByLabel("Who is one of them").selectOption("who");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
    await page.getByRole("heading", { level: 1, name: "Open the ledger of trial" }).waitFor();
    dataset = /dat_\w+/.exec(page.url())?.[0] ?? "";
    await page.getByLabel("ε", { exact: true }).fill("5");
    await page.getByText(/is added or removed/).waitFor();
    await page.getByLabel(/I have read the sentence/).check();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("heading", { level: 1, name: "trial" }).waitFor();
  });

  test("a team, one member invited by a link that works once, one added", async () => {
    const lea = await as("Lea");
    await openTeam(lea, "Team A");
    await lea.getByRole("button", { name: "Make a link" }).click();
    const link = await lea.getByLabel("Invitation link").inputValue();
    const ana = await as("Ana");
    await ana.goto(link);
    await ana.getByRole("button", { name: "Join the team" }).click();
    await ana.getByRole("heading", { level: 1, name: "Team A" }).waitFor();
    await ana.goto(`${demo.url}/teams`);
    await ana.goto(link);
    await ana.getByRole("button", { name: "Join the team" }).click();
    await ana.getByText(/was used, taken back, or has expired/).waitFor();
    await lea.reload();
    await lea.getByRole("row", { name: /Ana Silva/ }).waitFor();
    await lea.getByLabel("Add someone who is here already").selectOption({ label: "Ben Okafor" });
    await lea.getByRole("button", { name: "Add", exact: true }).click();
    await lea.getByRole("row", { name: /Ben Okafor/ }).waitFor();
    await expectAccessible(lea);
  });

  test("the teams ask by the dataset's id: one is given 2, the other asks for 4 and gets 3, and nothing is left", async () => {
    const [lea, aud, dana] = [await as("Lea"), await as("Audrey"), await as("Dana")];
    await ask(lea, "Access for the team Team A", "2", "the trial, part one");
    await openTeam(aud, "Team B");
    await ask(aud, "Access for the team Team B", "4", `the trial, part two ${NASTY}`);
    await dana.goto(`${demo.url}/`);
    await dana.getByRole("link", { name: "Lea Park asks for quota" }).waitFor();
    await grant(dana, "the trial, part one", "2");
    await grant(dana, "the trial, part two", "3");
    expect(await dana.getByText("DROP TABLE team").count()).toBeGreaterThan(0); // as text
    await aud.goto(`${demo.url}/notifications`);
    await aud.getByRole("link", { name: /Your request for ε 4 on trial was approved in part/ }).waitFor();
    await aud.goto(`${demo.url}/requests?box=submitted`);
    await aud.getByText("approved in part").first().waitFor();
    await dana.goto(`${demo.url}/datasets/${dataset}`);
    await dana.getByRole("heading", { name: "Accounts" }).waitFor();
    const { free } = await ledgerOf(dana);
    expect(free.epsilon).toBe("0");
  });

  test("a member is given a share, uses everything, is told, and is refused the next charge", async () => {
    const [lea, ana] = [await as("Lea"), await as("Ana")];
    await lea.goto(`${demo.url}/teams`);
    await lea.getByRole("link", { name: "Team A", exact: true }).click();
    await lea.getByRole("button", { name: "Give a member a share" }).click();
    const dialog = lea.getByRole("dialog");
    await dialog.getByLabel("For", { exact: true }).selectOption({ label: "Ana Silva" });
    await dialog.getByLabel("ε", { exact: true }).fill("0.5");
    await dialog.getByRole("button", { name: "Open the account" }).click();
    await lea.getByRole("row", { name: /Ana Silva.*0\.5/ }).waitFor();

    await ana.goto(`${demo.url}/`);
    const accounts = (await get(ana, "/v1/accounts")) as { items: { id: string; datasets: string[] }[] };
    const account = accounts.items.find(({ datasets }) => datasets.includes(dataset))?.id ?? "";
    const charge = (key: string, epsilon: string) =>
      ana.request.post(`${demo.url}/v1/releases?wait=20`, {
        headers: { "x-dosimeter": "1", "idempotency-key": key, origin: demo.url },
        data: { dataset, account, plan: { statistics: [{ id: "n", statistic: "count", epsilon }] } },
      });
    expect((await charge("walk-1", "0.5")).status()).toBe(202);
    const refused = await charge("walk-2", "0.1");
    expect(refused.status()).toBe(409);
    expect(await refused.json()).toMatchObject({ code: "QUOTA_EXHAUSTED" });
    await ana.goto(`${demo.url}/notifications`);
    await ana.getByRole("link", { name: /95 % of the quota of Ana Silva are used/ }).waitFor();
    await ana.goto(`${demo.url}/`);
    const mine = ana.getByRole("article", { name: "Team A / Ana Silva" });
    await expect.poll(() => mine.textContent()).toContain("Spent: ε 0.5");
  });

  test("more than the team has is asked back, answered, passed on, and comes back", async () => {
    const [lea, ana, dana] = [await as("Lea"), await as("Ana"), await as("Dana")];
    await ask(ana, "More for Team A › Ana Silva", "1.8", "one more histogram");
    await lea.goto(`${demo.url}/requests`);
    const card = lea.getByRole("article").filter({ hasText: "one more histogram" });
    await card.getByRole("button", { name: "Ask back" }).click();
    await lea.getByLabel("Question").fill("Of which column?");
    await lea.getByRole("button", { name: "Send the question" }).click();
    await card.getByText("asked back").waitFor();
    await ana.goto(`${demo.url}/`);
    await ana.getByRole("link", { name: "You were asked back" }).click();
    await ana.getByRole("button", { name: "Answer" }).click();
    await ana.getByRole("textbox", { name: "Answer" }).fill("Age");
    await ana.getByRole("button", { name: "Send the answer" }).click();
    await lea.goto(`${demo.url}/requests`);
    await card.getByText("answered: Age").waitFor();
    await card.getByRole("button", { name: "Pass on" }).click();
    await lea.getByRole("button", { name: "Pass it on" }).click();
    await card.getByText("passed on", { exact: true }).waitFor();
    await dana.goto(`${demo.url}/requests`);
    const above = dana.getByRole("article").filter({ hasText: "Passed on: a request" });
    await above.getByRole("button", { name: "Decide" }).click();
    await dana.getByLabel("Reject", { exact: true }).check();
    await dana.getByLabel("Reason").fill("The lifetime is given out");
    await dana.getByRole("button", { name: "Reject" }).click();
    await above.getByText("rejected", { exact: true }).waitFor();
    await lea.goto(`${demo.url}/requests`);
    await card.getByText("waiting", { exact: true }).waitFor();
  });

  test("a member leaves and is invited back: what was spent is still there", async () => {
    const [lea, ana] = [await as("Lea"), await as("Ana")];
    await ana.goto(`${demo.url}/teams`);
    await ana.getByRole("link", { name: "Team A", exact: true }).click();
    await ana.getByRole("button", { name: "Leave the team" }).click();
    await ana.getByRole("button", { name: "Leave", exact: true }).click();
    await ana.getByRole("heading", { level: 1, name: "Teams" }).waitFor();
    await lea.goto(`${demo.url}/teams`);
    await lea.getByRole("link", { name: "Team A", exact: true }).click();
    await lea.getByRole("row", { name: /Ana Silva.*frozen.*100 %/ }).waitFor();
    await lea.getByLabel("Add someone who is here already").selectOption({ label: "Ana Silva" });
    await lea.getByRole("button", { name: "Add", exact: true }).click();
    await lea.getByRole("row", { name: /Ana Silva.*member/ }).waitFor();
    await lea.getByRole("row", { name: /Ana Silva.*100 %/ }).waitFor();
    await lea.getByRole("button", { name: "Remove Ben Okafor" }).click();
    await lea.getByRole("button", { name: "Remove", exact: true }).click();
    await lea.getByRole("row", { name: /Ben Okafor/ }).waitFor({ state: "hidden" });
  });

  test("text of somebody's is text wherever it stands, and is found by search", async () => {
    const lea = await as("Lea");
    await openTeam(lea, NASTY);
    await lea.getByLabel("Search everything").fill("DROP TABLE");
    await lea.getByLabel("Search everything").press("Enter");
    await lea.getByRole("link", { name: NASTY }).waitFor();
    const ana = await as("Ana");
    await ana.goto(`${demo.url}/search?text=DROP`);
    await ana.getByText("Nothing that you may see is called that").waitFor(); // a team of others is nobody's business
  });

  test("settings: a token is made once and revoked, a kind of notification is switched off", async () => {
    const lea = await as("Lea");
    await lea.goto(`${demo.url}/settings`);
    await lea.getByLabel("Name of a new token").fill("nightly");
    await lea.getByRole("button", { name: "Make the token" }).click();
    expect(await lea.getByLabel("Token", { exact: true }).inputValue()).toMatch(/^dsm_/);
    await lea.getByRole("button", { name: "Revoke nightly" }).click();
    await lea.getByRole("button", { name: "Revoke nightly" }).waitFor({ state: "hidden" });
    const box = lea.getByLabel(/Tell me by mail when an account of mine/);
    await box.click();
    await expect.poll(() => box.isChecked()).toBe(false);
    await lea.reload();
    await box.waitFor();
    expect(await box.isChecked()).toBe(false);
  });

  test.each([
    ["light", 1440, ["/", "/teams", "/settings"]],
    ["dark", 390, ["/people", "/notifications", "/activity", "/search?text=a"]],
  ] as const)("the pages are accessible and fit, %s at %i px", async (colorScheme, width, paths) => {
    const page = await as("Lea");
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    for (const path of paths) {
      await page.goto(demo.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      await expectNoSideways(page);
      await expectAccessible(page);
    }
  });

  test("nothing went wrong behind anybody's back", () => {
    expect(troubles.flat().filter((trouble) => !/status of 4\d\d/.test(trouble))).toEqual([]);
  });

  async function get(page: Page, path: string): Promise<unknown> {
    return (await page.request.get(demo.url + path)).json();
  }

  async function ledgerOf(page: Page): Promise<{ free: { epsilon: string } }> {
    const { ledger } = (await get(page, `/v1/datasets/${dataset}`)) as { ledger: { id: string } };
    return (await get(page, `/v1/ledgers/${ledger.id}`)) as { free: { epsilon: string } };
  }
});
