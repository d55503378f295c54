import { createClient } from "@dosimeter/client";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";

const reason = whyNoBrowser();

/** Fifty people, each with an age. */
const CSV = ["who,age", ...Array.from({ length: 50 }, (_, row) => `${row},${20 + (row % 50)}`), ""].join("\n");
const NASTY = "<img src=x onerror=alert(1)>'; DROP TABLE team; --";
const ADMIN = "Pia Berg";

/**
 * The source page's example, from an empty platform on and through pages alone: a dataset with lifetime 5, teams that hold 2
 * and 3, members, a request approved in part, a member who has used everything, and an amendment with a second person.
 */
describe.skipIf(reason !== null)("an organisation in the browser", () => {
  const demo = stage(() => openPlatform(ADMIN), { goesOn: true });
  let dataset = "";
  const pages = new Map<string, Page>();
  const troubles: (readonly string[])[] = [];

  /** The page of the person whose name begins with a text; at first through the link that the platform's admin made on the page. */
  async function as(name: string, options: BrowserContextOptions = {}): Promise<Page> {
    const open = pages.get(name);
    if (open !== undefined) return open;
    const visit = await (name === "Pia" ? signedIn(demo, name, options) : demo.visit(options));
    if (name !== "Pia") {
      await visit.page.goto(await linkFor(name));
      await visit.page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    }
    troubles.push(visit.troubles);
    pages.set(name, visit.page);
    return visit.page;
  }

  async function linkFor(name: string): Promise<string> {
    const admin = await as("Pia");
    await admin.goto(`${demo.url}/people`);
    await admin.getByRole("button", { name: new RegExp(`^Sign-in link for ${name}`) }).click();
    const link = admin.getByLabel("Link", { exact: true });
    await expect.poll(() => link.inputValue().catch(() => "")).toMatch(/^http/);
    return link.inputValue();
  }

  async function declare(page: Page, name: string): Promise<void> {
    await page.goto(`${demo.url}/datasets/new`);
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose a file" }).click(),
    ]);
    const more = name === "trial" ? "" : "99,40\n"; // other bytes: the same ones are the same people
    await chooser.setFiles({ name: `${name}.csv`, mimeType: "text/csv", buffer: Buffer.from(CSV + more) });
    await page.getByLabel("Type of age").selectOption("integer");
    await page.getByLabel("Lower bound of age").fill("0");
    await page.getByLabel("Upper bound of age").fill("100");
    await page.getByLabel("Type of who").selectOption("integer");
    await page.getByLabel("Privacy unit").selectOption("who");
    await page.getByRole("button", { name: "Declare the dataset" }).click();
  }

  /** Presses Tab until the focus is on the control with this name. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let step = 0; step < 90; step++) {
      await page.keyboard.press("Tab");
      const here = await page.evaluate(() => {
        const on = document.activeElement as HTMLInputElement | null;
        return on?.labels?.[0]?.textContent ?? on?.getAttribute("aria-label") ?? on?.textContent ?? "";
      });
      if (here.trim() === name) return;
    }
    throw new Error(`Tab never reaches ${name}`);
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

  test("the platform's admin adds everyone, gives a role, and a link lets each of them in once", async () => {
    const admin = await as("Pia");
    await admin.goto(`${demo.url}/people`);
    for (const name of ["Dana Vogt", "Lea Park", "Audrey Chen", "Ana Silva", "Ben Okafor", "Gil Moreau"]) {
      await admin.getByLabel("Name", { exact: true }).fill(name);
      await admin.getByRole("button", { name: "Add", exact: true }).click();
      await admin.getByRole("row", { name: new RegExp(name) }).waitFor();
    }
    const link = await linkFor("Gil");
    for (const isFirst of [true, false]) {
      const { page, context } = await demo.visit();
      await page.goto(link);
      if (isFirst) await page.getByRole("heading", { level: 1, name: "Welcome, Gil Moreau" }).waitFor();
      else
        await page
          .getByText(/used|expired/)
          .first()
          .waitFor();
      await context.close();
    }
  });

  test("a dataset with lifetime 5 is declared and opened by its owner", async () => {
    const page = await as("Dana");
    await declare(page, "trial");
    await page.getByRole("heading", { level: 1, name: "Open the ledger of trial" }).waitFor();
    dataset =
      (await createClient({ url: demo.url, token: demo.host.token }).listDatasets({ name: "trial" })).items[0]?.id ??
      "";
    await page.getByLabel("ε", { exact: true }).fill("5");
    await page.getByText("Exact statement", { exact: true }).click();
    await page.getByText(/is added or removed/).waitFor();
    await page.getByLabel(/I have read the guarantee/).check();
    await page.getByRole("button", { name: "Open the ledger" }).click();
    await page.getByRole("heading", { level: 1, name: "Give budget on trial" }).waitFor();
  });

  test("a team, one member invited by a link that works once, one added", async () => {
    const lea = await as("Lea");
    await openTeam(lea, "Team A");
    await lea.getByRole("button", { name: "Make a link" }).click();
    const link = await lea.getByLabel("Invitation link").inputValue();
    const ana = await as("Ana");
    await ana.goto(link);
    await ana.getByRole("button", { name: "Join the team" }).click();
    await ana.getByRole("heading", { level: 1, name: "Team A", exact: true }).waitFor();
    await ana.goto(`${demo.url}/teams`);
    await ana.goto(link);
    await ana.getByText(/was used, taken back, or has expired/).waitFor();
    await lea.reload();
    await lea.getByRole("row", { name: /Ana Silva/ }).waitFor();
    await lea.getByLabel("Add an existing person").selectOption({ label: "Ben Okafor" });
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
    await dana.getByRole("link", { name: "Lea Park asks for budget" }).waitFor();
    await grant(dana, "the trial, part one", "2");
    await grant(dana, "the trial, part two", "3");
    expect(await dana.getByText("DROP TABLE team").count()).toBeGreaterThan(0); // as text
    await aud.goto(`${demo.url}/notifications`);
    await aud.getByRole("link", { name: /Your request for ε 4 on trial was approved in part/ }).waitFor();
    await aud.goto(`${demo.url}/requests?box=submitted`);
    await aud.getByText("approved in part").first().waitFor();
    await dana.goto(`${demo.url}/datasets/${dataset}?tab=budget`);
    await dana.getByText(/^Free at the top: .*epsilon 0\./).waitFor();
    for (const [name, quota] of [
      ["Team A", "2"],
      ["Team B", "3"],
    ] as const)
      await dana.getByRole("button", { name: new RegExp(`^${name}: 0 of ${quota} spent`) }).waitFor();
  });

  test("a member is given a share, uses everything, is notified, and is refused the next charge", async () => {
    const [lea, ana] = [await as("Lea"), await as("Ana")];
    await lea.goto(`${demo.url}/teams`);
    await lea.getByRole("link", { name: "Team A", exact: true }).click();
    await lea.getByRole("button", { name: "Give a member a part" }).click();
    const dialog = lea.getByRole("dialog");
    await dialog.getByLabel("For", { exact: true }).selectOption({ label: "Ana Silva" });
    await dialog.getByLabel("ε", { exact: true }).fill("0.5");
    await dialog.getByRole("button", { name: "Give budget" }).click();
    await lea.getByRole("row", { name: /Ana Silva.*0\.5/ }).waitFor();

    // The same person at two windows, each with a plan that fits: the second release is refused, and nothing is charged.
    const second = await ana.context().newPage();
    for (const [page, epsilon] of [
      [ana, "0.5"],
      [second, "0.1"],
    ] as const) {
      await page.goto(`${demo.url}/datasets/${dataset}/plan`);
      // The second window opens the plan that the first has kept.
      if (page === ana) await page.getByRole("button", { name: "Count", exact: true }).click();
      // Its first price is in the field before another is typed.
      await page.getByText("fits", { exact: true }).waitFor();
      await page.getByLabel("ε for this plan").fill(epsilon);
      await page.getByLabel("ε for this plan").press("Enter");
      // The price before this one may fit too.
      const left = epsilon === "0.5" ? /left after\D*0(?!\.)/ : /left after\D*0\.4(?!\d)/;
      await expect.poll(() => page.locator("main").innerText()).toMatch(left);
      await page.getByText("fits", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Review and release" }).click();
    }
    await ana.getByLabel("Type empty to go on").fill("empty");
    await ana.getByRole("button", { name: /^Spend/ }).click();
    await ana.getByText("Receipt and exact statement").waitFor();
    await second.getByRole("button", { name: /^Spend/ }).click();
    await second.getByRole("alert").getByText("QUOTA_EXHAUSTED").waitFor();
    await second.close();
    await ana.goto(`${demo.url}/datasets/${dataset}/plan`);
    await ana.getByRole("heading", { name: "Nothing is left on Team A › Ana Silva" }).waitFor();
    await ana.getByRole("link", { name: "Ask for more" }).waitFor();
    await ana.goto(`${demo.url}/notifications`);
    await ana.getByRole("link", { name: /You have used 95 % of your budget on/ }).waitFor();
    await ana.goto(`${demo.url}/`);
    const mine = ana.getByRole("listitem", { name: "Team A / Ana Silva" });
    await expect.poll(() => mine.textContent()).toContain("Spent: ε 0.5");
  });

  test("more than the team has is asked back, answered, passed on, and comes back", async () => {
    const [lea, ana, dana] = [await as("Lea"), await as("Ana"), await as("Dana")];
    await ask(ana, "More for Team A › Ana Silva", "1.8", "one more histogram");
    await lea.goto(`${demo.url}/requests`);
    const card = lea.getByRole("article").filter({ hasText: "one more histogram" });
    await card.getByRole("button", { name: "Ask a question" }).click();
    await lea.getByLabel("Question").fill("Of which column?");
    await lea.getByRole("button", { name: "Send the question" }).click();
    await card.getByText("question asked").waitFor();
    await ana.goto(`${demo.url}/`);
    await ana.getByRole("link", { name: "You were asked a question" }).click();
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
    await ana.getByRole("heading", { level: 1, name: "Teams", exact: true }).waitFor();
    await lea.goto(`${demo.url}/teams`);
    await lea.getByRole("link", { name: "Team A", exact: true }).click();
    await lea.getByRole("row", { name: /Ana Silva.*frozen.*100 %/ }).waitFor();
    await lea.getByLabel("Add an existing person").selectOption({ label: "Ana Silva" });
    await lea.getByRole("button", { name: "Add", exact: true }).click();
    await lea.getByRole("row", { name: /Ana Silva.*member/ }).waitFor();
    await lea.getByRole("row", { name: /Ana Silva.*100 %/ }).waitFor();
    await lea.getByRole("button", { name: "Remove Ben Okafor" }).click();
    await lea.getByRole("button", { name: "Remove", exact: true }).click();
    await lea.getByRole("row", { name: /Ben Okafor/ }).waitFor({ state: "hidden" });
    const focused = () => lea.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await expect.poll(focused, { message: "the row is gone, the focus stays beside it" }).toBe("Who is in Team A");
  });

  test("the lifetime is raised only when a second admin agrees, and the version says what is true now", async () => {
    const [admin, dana, gil] = [await as("Pia"), await as("Dana"), await as("Gil")];
    await admin.goto(`${demo.url}/people`);
    await admin.getByLabel("Give", { exact: true }).selectOption({ label: "Gil Moreau" });
    await admin.getByLabel("the role", { exact: true }).selectOption({ label: "admin of trial" });
    await admin.getByRole("button", { name: "Give", exact: true }).click();
    await admin.getByRole("row", { name: /Gil Moreau.*dataset admin.*trial/ }).waitFor();
    await dana.goto(`${demo.url}/datasets/${dataset}?tab=governance`);
    await dana.getByRole("button", { name: "Raise the lifetime" }).click();
    const dialog = dana.getByRole("dialog");
    await dialog.getByLabel("ε", { exact: true }).first().fill("6");
    await dialog.getByText(/takes effect when another admin approves/).waitFor();
    await dialog.getByLabel("Why").fill("a second wave of questions");
    await dialog.getByRole("button", { name: "Ask for it" }).click();
    await dana
      .getByText(/^Another admin of the dataset, or of the platform|A raise waits for a second person/)
      .first()
      .waitFor();
    expect(await dana.getByRole("button", { name: /^Agree/ }).count(), "nobody seconds themselves").toBe(0);
    await dana.getByRole("tab", { name: "Budget" }).click();
    const budget = dana.getByRole("region", { name: "Budget", exact: true });
    await budget.getByText("Lifetime ε").waitFor();
    expect(await budget.locator("dd").first().textContent()).toMatch(/^5$/);
    await gil.goto(`${demo.url}/datasets/${dataset}?tab=governance`);
    await gil.getByLabel("Note").fill("read and agreed");
    await gil.getByRole("button", { name: "Approve the raise" }).click();
    await gil.getByRole("row", { name: /^2 .*Dana Vogt and Gil Moreau.*a second wave/ }).waitFor();
    await dana.getByRole("tab", { name: "Overview" }).click();
    await dana.reload();
    await dana.getByText(/Version 2, sealed by line/).waitFor();
    await dana.getByRole("tab", { name: "Budget" }).click();
    await dana.getByText(/^Free at the top: .*epsilon 1\./).waitFor();
    await dana.getByRole("button", { name: /^Team A: 0\.5 of 2 spent/ }).waitFor(); // all amounts are still there
    await dana.getByRole("tab", { name: "Governance" }).click();
    await dana.getByRole("button", { name: "A budget for each period" }).click();
    await dialog.getByLabel("Why").fill("the table grows");
    await expectAccessible(dana);
    await dialog.getByRole("button", { name: "Ask for it" }).click();
    await dialog.getByText("A second admin must ask for the same here.").waitFor();
  });

  test("the promise is published, and read by someone without an account", async () => {
    const dana = await as("Dana");
    await dana.goto(`${demo.url}/datasets/${dataset}?tab=governance`);
    const shared = dana.getByLabel("Anyone can read this guarantee without signing in");
    await shared.click();
    const address = (await dana.getByRole("link", { name: "the public page" }).getAttribute("href")) ?? "";
    const { page, troubles: theirs } = await demo.visit({ viewport: { width: 390, height: 844 } });
    await page.goto(demo.url + address);
    await page.getByRole("heading", { level: 1, name: "What is promised about trial" }).waitFor();
    const second = page.getByRole("row", { name: /^Version 2 / });
    await second.getByText("Exact statement").click();
    await second.getByText(/the histories in which this version/).waitFor();
    expect(await page.getByText(/Dana|Gil|Ana Silva|a second wave/).count(), "nobody's name, nobody's words").toBe(0);
    await expectNoSideways(page);
    await expectAccessible(page);
    await shared.click();
    await dana.getByRole("link", { name: "the public page" }).waitFor({ state: "detached" });
    await page.reload();
    await page.getByText("NOT_FOUND").waitFor();
    expect(theirs.filter((trouble) => !/status of 40[14]/.test(trouble))).toEqual([]);
  });

  test("an exported ledger is imported with everything it has spent, and stays frozen until it is opened", async () => {
    const dana = await as("Dana");
    await dana.goto(`${demo.url}/datasets/${dataset}?tab=ledger`);
    const [file] = await Promise.all([
      dana.waitForEvent("download"),
      dana.getByRole("button", { name: "Download signed export" }).click(),
    ]);
    await declare(dana, "moved");
    await dana.getByText("Import the ledger of these people from another server").click();
    const [chooser] = await Promise.all([
      dana.waitForEvent("filechooser"),
      dana.getByRole("button", { name: "Choose the export" }).click(),
    ]);
    await chooser.setFiles(await file.path());
    await dana.getByLabel("Fingerprint of the key that signed it").fill("0".repeat(64));
    await dana.getByRole("button", { name: "Check and import" }).click();
    await dana
      .getByRole("alert")
      .getByText(/signed by/)
      .waitFor();
    await dana.getByLabel("Fingerprint of the key that signed it").fill("");
    await dana.getByRole("button", { name: "Check and import" }).click();
    await dana
      .getByRole("alert")
      .getByText(/freeze it first/)
      .waitFor();
    const frozen = await dana.evaluate(async (id) => {
      const { ledger } = await (await fetch(`/v1/datasets/${id}`)).json();
      const headers = { "content-type": "application/json", "x-dosimeter": "1" };
      const body = JSON.stringify({ reason: "these people move" });
      return (await fetch(`/v1/ledgers/${ledger.id}/freeze`, { method: "POST", headers, body })).status;
    }, dataset);
    expect(frozen).toBe(200);
    await dana.getByRole("button", { name: "Check and import" }).click();
    await dana.getByRole("heading", { level: 1, name: "moved", exact: true }).waitFor();
    await dana.getByRole("heading", { name: "This ledger is frozen" }).waitFor();
    await dana.getByText("Exact statement").click();
    await dana.getByText(/spent so far: a loss of at most ε = 0\.5 /).waitFor();
  });

  test("text that people write is text wherever it is shown, and is found by search", async () => {
    const lea = await as("Lea");
    await openTeam(lea, NASTY);
    await lea.keyboard.press("Control+k");
    await lea.getByRole("combobox", { name: /^A page, dataset/ }).fill("DROP TABLE");
    await lea.getByRole("option", { name: /^Search for/ }).click();
    await lea.getByRole("link", { name: NASTY }).waitFor();
    const ana = await as("Ana");
    await ana.goto(`${demo.url}/search?text=DROP`);
    await ana.getByText("Nothing found").waitFor(); // a team of others is not visible
  });

  test("settings: a token is made once and revoked, a kind of notification is switched off", async () => {
    const lea = await as("Lea");
    await lea.goto(`${demo.url}/settings`);
    // By the keyboard alone, from the search on.
    await lea.getByRole("button", { name: "Find or do" }).focus();
    await tabTo(lea, "Name of a new token");
    await lea.keyboard.type("nightly");
    await tabTo(lea, "Create the token");
    await lea.keyboard.press("Enter");
    expect(await lea.getByLabel("Token", { exact: true }).inputValue()).toMatch(/^dsm_/);
    await lea.getByRole("button", { name: "Revoke nightly" }).click();
    await lea.getByRole("button", { name: "Revoke nightly" }).waitFor({ state: "hidden" });
    const box = lea.getByLabel(/Notify me by mail when a budget of mine/);
    await box.click();
    await expect.poll(() => box.isChecked()).toBe(false);
    await lea.reload();
    await box.waitFor();
    expect(await box.isChecked()).toBe(false);
  });

  test("a service gets a token with scopes and an end, which is revoked; it can do no more than that", async () => {
    const admin = await as("Pia");
    await admin.goto(`${demo.url}/people`);
    await admin.getByLabel("Name", { exact: true }).fill("Nightly report");
    await admin.getByLabel("Kind").selectOption({ label: "service" });
    await admin.getByRole("button", { name: "Add", exact: true }).click();
    await admin.getByRole("button", { name: "Tokens of Nightly report" }).click();
    const dialog = admin.getByRole("dialog");
    await dialog.getByText("It has none.").waitFor();
    await dialog.getByLabel("Name of a new token").fill("cron");
    await dialog.getByLabel("Valid for").selectOption({ label: "a week" });
    await dialog.getByRole("button", { name: "Create the token" }).click();
    const field = dialog.getByLabel("Token", { exact: true });
    await expect.poll(() => field.inputValue().catch(() => "")).toMatch(/^dsm_/);
    const headers = { authorization: `Bearer ${await field.inputValue()}` };
    const asked = async (path: string) => (await fetch(`${demo.url}${path}`, { headers })).status;
    expect(await asked("/v1/me")).toBe(200);
    expect(await asked("/v1/sessions"), "it may read, not administer").toBe(403);
    await dialog.getByRole("row", { name: /cron.*read/ }).waitFor();
    await expectAccessible(admin);
    await dialog.getByRole("button", { name: "Revoke cron" }).click();
    await dialog.getByText("It has none.").waitFor();
    expect(await asked("/v1/me")).toBe(401);
  });

  test("who has no address is given one; who is removed is let back in; a team's page leads to a request for more", async () => {
    const [admin, gil, lea] = [await as("Pia"), await as("Gil"), await as("Lea")];
    await admin.goto(`${demo.url}/people`);
    await admin.getByRole("button", { name: "Edit Gil Moreau" }).click();
    await admin.getByRole("dialog").getByLabel("E-mail (optional)").fill("gil@example.org");
    await expectAccessible(admin);
    await admin.getByRole("button", { name: "Save" }).click();
    await admin.getByRole("row", { name: /Gil Moreau.*gil@example.org/ }).waitFor();
    await admin.getByRole("button", { name: "Remove Gil Moreau" }).click();
    await admin.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await admin.getByRole("button", { name: "Restore Gil Moreau" }).click();
    await admin.getByRole("button", { name: "Remove Gil Moreau" }).waitFor();
    await gil.goto(`${demo.url}/requests?box=submitted`);
    await gil.waitForURL(/sign-in\?next=.*box%3Dsubmitted/);
    await lea.goto(`${demo.url}/teams`);
    await lea.getByRole("link", { name: "Team A" }).click();
    await lea.getByRole("link", { name: /^Ask for more on .*, for Team A$/ }).click();
    await lea
      .getByLabel("What you ask for")
      .getByRole("option", { name: "More for Team A", selected: true })
      .waitFor({ state: "attached" });
  });

  test.each([
    ["light", 1440, "Lea", ["/", "/teams", "/settings"]],
    ["dark", 390, "Lea", ["/people", "/notifications", "/activity", "/search?text=a"]],
    ["dark", 1440, "Pia", ["/", "/people", "/audit", "/join", "/settings"]],
    ["light", 390, "Pia", ["/people", "/audit", "/join", "/teams", "/datasets", "/activity"]],
  ] as const)("the pages are accessible and fit, %s at %i px, for %s", async (colorScheme, width, who, paths) => {
    const page = await as(who);
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

  test("no page had an unexpected error", () => {
    expect(troubles.flat().filter((trouble) => !/status of 4\d\d/.test(trouble))).toEqual([]);
  });
});
