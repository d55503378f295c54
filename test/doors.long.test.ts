import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, stage, whyNoBrowser } from "./browser.kit.ts";
import { openDemo, openFresh } from "./demo.kit.ts";
import { counted } from "./walk.kit.ts";

const MAX_CLICKS = 3;
const NARROW = { viewport: { width: 390, height: 844 } };

async function looksRight(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await expectNoSideways(page);
  await expectAccessibleInBothThemes(page);
}

describe.skipIf(whyNoBrowser() !== null)("the first admin", () => {
  const fresh = stage(openFresh);

  test("the front page asks for the code and shows neither it nor the link; a wrong one is refused and stays typed", async () => {
    const { page, troubles } = await fresh.visit(NARROW);
    await page.goto(fresh.url);
    await page.getByRole("heading", { level: 1, name: "Create the first admin" }).waitFor();
    expect(await page.content()).not.toContain(fresh.host.code);
    await looksRight(page);
    expect(troubles).toEqual([]);
    await page.getByLabel("Code").fill("0000-0000-0000-0000");
    // What is wrong stands at its field, and the first such field has the focus.
    await page.getByLabel("Password", { exact: true }).fill("short");
    await page.getByRole("button", { name: "Create the first admin" }).click();
    for (const fault of [
      "Type your name",
      "With a password, you need an address to sign in",
      "5 of at least 12 characters",
    ])
      await page.getByText(fault, { exact: true }).waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("autocomplete") === "name");
    await page.getByLabel("E-mail").fill("eve");
    await page.getByLabel("Your name").focus();
    await page.getByText("This is not an e-mail address: write name@example.org").waitFor();
    await looksRight(page);
    for (const field of [page.getByLabel("E-mail"), page.getByLabel("Password", { exact: true })]) await field.fill("");
    await page.getByLabel("Your name").fill("Eve");
    await page.getByRole("button", { name: "Create the first admin" }).click();
    await page.getByText("This is not the code that the terminal printed last").waitFor();
    expect(await page.getByLabel("Code").inputValue()).toBe("0000-0000-0000-0000");
    expect(await page.getByLabel("Your name").inputValue()).toBe("Eve");
    await looksRight(page);
    await page.goto(`${fresh.url}/first-admin#${fresh.host.code}`); // pasted into this tab: the page is not loaded again
    await page.getByLabel("Code").waitFor({ state: "detached" });
  });

  test("the link of the terminal leads to a home with the first things to do, of which two clicks begin one; of two tabs one wins", async () => {
    const { page, context, troubles } = await fresh.visit();
    const hand = counted();
    const second = await context.newPage();
    const link = `${fresh.url}/first-admin#${fresh.host.code.toLowerCase()}`;
    for (const tab of [page, second]) {
      await tab.goto(link);
      await tab.getByLabel("Your name").fill("Ada Lovelace");
      expect(await tab.getByLabel("Code").count(), "it came with the link").toBe(0);
    }
    await page.getByLabel("E-mail").fill("ada@example.org");
    await page.getByLabel("Password", { exact: true }).fill("engine of analysis");
    await hand.click(page.getByRole("button", { name: "Create the first admin" }));
    await page.getByRole("heading", { level: 1, name: /Ada Lovelace/ }).waitFor();
    const steps = page.getByRole("region", { name: "Set up this server" });
    expect((await steps.getByRole("listitem").allTextContents()).map((text) => text.trim())).toEqual([
      "Declare a first dataset",
      "Give it a lifetime budget",
      "Open a team and invite people",
      "Let the server send mail",
      "Make a backup every night",
    ]);
    await looksRight(page);
    await hand.click(page.getByRole("main").getByRole("link", { name: "New dataset" }));
    await page.getByRole("heading", { level: 1, name: "New dataset" }).waitFor();
    expect(hand.clicks()).toBeLessThanOrEqual(MAX_CLICKS);
    expect(troubles).toEqual([]);

    await second.getByRole("button", { name: "Create the first admin" }).click();
    await second.getByText("This platform has an admin already").waitFor();
    await looksRight(second);
    await page.goto(`${fresh.url}/people`);
    await page.getByRole("row", { name: /Ada Lovelace you person/ }).waitFor();
    expect(await page.getByRole("row", { name: /Ada Lovelace.*person/ }).count()).toBe(1);
    await page.goto(fresh.url);
    await page.getByRole("button", { name: "Hide this list" }).click();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: /Ada Lovelace/ }).waitFor();
    expect(await steps.count()).toBe(0);
  });

  test("the link works once, and the admin comes back with the password", async () => {
    const { page, troubles } = await fresh.visit();
    await page.goto(`${fresh.url}/first-admin#${fresh.host.code}`);
    await page.getByText("This platform has an admin already").waitFor();
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("E-mail").fill("ada@example.org");
    await page.getByLabel("Password", { exact: true }).fill("engine of analysis");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: /Ada Lovelace/ }).waitFor();
    expect(troubles).toEqual([]);
  });
});

describe.skipIf(whyNoBrowser() !== null)("the doors of a demo", () => {
  const demo = stage(openDemo);

  test("who is not signed in sees what this is, moves 100 dots, and causes no error", async () => {
    const { page, troubles } = await demo.visit(NARROW);
    await page.goto(demo.url);
    await page.getByRole("heading", { level: 1, name: /stops when the budget is spent/ }).waitFor();
    await looksRight(page);
    await page.getByText("at most 74 are right").waitFor();
    const slider = page.getByRole("slider", { name: /A budget of/ });
    await slider.press("Home");
    await page.getByText("at most 51 are right").waitFor();
    expect(await page.locator("circle[data-right=true]").count()).toBe(51);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Play" }).waitFor();
    for (const path of [
      "/explore",
      "/join",
      "/releases",
      "/datasets/adults",
      "/teams/Guests",
      "/no-such-page",
      "/sign-in",
    ]) {
      await page.goto(demo.url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
    }
    expect(troubles).toEqual([]);
  });

  test("a link of a team that lets in no newcomers offers them no form, and an old one says so", async () => {
    const { page, troubles } = await demo.visit(NARROW);
    const { id: team } = await demo.host.operator.createTeam({ name: "Guests" });
    await demo.host.operator.setTeam({ team, linksAdmit: "known" });
    const { id: invitation, url } = await demo.host.operator.invite({ team });
    const { pathname, hash } = new URL(url ?? "");
    await page.goto(demo.url + pathname + hash);
    await page.getByText("This link is for people with an account").waitFor();
    expect(await page.getByLabel("Your name").count()).toBe(0);
    await looksRight(page);
    await demo.host.operator.endInvitation({ team, invitation });
    await page.reload();
    await page.getByText("This invitation no longer works").waitFor();
    expect(troubles).toEqual([]);
  });

  test("nothing moves where less motion is wanted", async () => {
    const { page } = await demo.visit({ reducedMotion: "reduce" });
    await page.goto(demo.url);
    await page.getByRole("heading", { name: "A release in 20 seconds" }).waitFor();
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });

  test("a browser on this machine continues as a person of the demo, in two clicks from the front page", async () => {
    const { page, troubles } = await demo.visit();
    await page.goto(demo.url);
    await page.getByRole("link", { name: "Try the demo" }).click();
    await page.getByRole("button", { name: /Continue as Lea Park/ }).waitFor();
    await looksRight(page);
    await page.getByRole("button", { name: /Continue as Ana Silva/ }).click();
    await page.getByRole("heading", { level: 1, name: /Ana Silva/ }).waitFor();
    expect(troubles).toEqual([]);
  });

  test("a real person is added only after a warning, and then every page says why the demo's people are out", async () => {
    const { page } = await demo.visit();
    const { items: people } = await demo.host.operator.listPeople();
    const dana = people.find(({ name }) => name === "Dana Ortiz");
    await demo.host.operator.grantRole({
      person: dana?.id ?? "",
      role: "platformAdmin",
      object: { kind: "platform" },
    });
    await page.goto(`${demo.url}/people`);
    await page.getByRole("button", { name: /Continue as Dana Ortiz/ }).click();
    await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Rosa Real");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/cannot sign in/).waitFor();
    await looksRight(page);
    await dialog.getByRole("button", { name: "Back" }).click();
    expect((await demo.host.operator.listPeople()).items.some(({ name }) => name === "Rosa Real")).toBe(false);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByRole("button", { name: "Add Rosa Real" }).click();
    for (const path of [null, "/releases", "/explore", "/"]) {
      if (path !== null) await page.goto(demo.url + path);
      await page.getByText("The demo’s people can no longer sign in").waitFor();
      expect(await page.getByRole("button", { name: /Continue as/ }).count()).toBe(0);
    }
    await looksRight(page);
  });
});
