import { TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";

const PASSWORD = "engine of analysis";
const NEW_PASSWORD = "analysis of engines";
const NARROW = { viewport: { width: 390, height: 844 } };
const WIDE = { viewport: { width: 1440, height: 900 } };

async function looksRight(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  for (const { viewport } of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    await expectNoSideways(page);
    await expectAccessibleInBothThemes(page);
  }
}

/** What an authenticator app shows for the key on the page. */
async function app(page: Page): Promise<string> {
  await page.getByRole("img", { name: /QR code/ }).waitFor();
  const text = await page.getByText(/^Key: /).innerText();
  return new TOTP({ secret: text.replace("Key:", "").replace(/\s/g, "") }).generate();
}

async function give(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel("E-mail").fill("ada@example.org");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

describe.skipIf(whyNoBrowser() !== null)("a second factor", () => {
  const platform = stage(() => openPlatform("Ada Lovelace", { secondFactor: "admins" }));
  let recovery = "";
  let ada = "";

  test("is set up on the page of settings, at every width and in both themes", async () => {
    const { items } = await platform.host.operator.listPeople();
    ada = items.find(({ name }) => name === "Ada Lovelace")?.id ?? "";
    await platform.host.operator.setPerson({ person: ada, email: "ada@example.org" });
    const { page, troubles } = await platform.visit(NARROW);
    await page.goto(await platform.host.link("Ada Lovelace"));
    await page.getByRole("heading", { level: 1, name: /Ada Lovelace/ }).waitFor();
    await page.goto(`${platform.url}/settings`);
    await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Set a password" }).click();
    await page.getByLabel("Your password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Set up an authenticator app" }).click();
    const code = await app(page);
    await looksRight(page);
    expect(
      await page.getByRole("img", { name: /QR code/ }).evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBeGreaterThan(0);
    await page.getByLabel("Code", { exact: true }).fill(code);
    await page.getByRole("button", { name: "Confirm" }).click();
    const codes = page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.first().waitFor();
    expect(await codes.count()).toBe(10);
    recovery = await codes.first().innerText();
    await page.getByText(/10 recovery codes are left/).waitFor();
    await looksRight(page);
    expect(troubles).toEqual([]);
  });

  test("is asked for at the next sign-in, and a recovery code does too", async () => {
    const { page } = await platform.visit(NARROW);
    await page.goto(`${platform.url}/sign-in`);
    await give(page);
    await page.getByRole("heading", { level: 1, name: "Your second factor" }).waitFor();
    await looksRight(page);
    await page.getByLabel("Code", { exact: true }).fill("000000");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("this code is wrong, or was used already", { exact: false }).waitFor();
    await page.getByLabel("Code", { exact: true }).fill(recovery);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: /Ada Lovelace/ }).waitFor();
  });

  test("that an admin lost, with the password, is ended with a reason; a link sets the password, and it is set up again while signing in", async () => {
    const { operator } = platform.host;
    const { id } = await operator.createPerson({ name: "Charles" });
    await operator.grantRole({ person: id, role: "platformAdmin", object: { kind: "platform" } });
    const other = await platform.visit(NARROW);
    await other.page.goto(await platform.host.linkOf(id));
    await other.page.getByRole("heading", { level: 1, name: /Charles/ }).waitFor();
    await other.page.goto(`${platform.url}/people`);
    await other.page.getByRole("button", { name: "Second factor of Ada Lovelace" }).click();
    await other.page.getByLabel("Reason").fill("lost the phone");
    await looksRight(other.page);
    await other.page.getByRole("button", { name: "End it" }).click();
    await other.page.getByRole("dialog").waitFor({ state: "detached" });
    await other.page.getByRole("button", { name: "Password link for Ada Lovelace" }).click();
    const link = other.page.getByLabel("Password link", { exact: true });
    await link.waitFor();
    await looksRight(other.page);
    const url = await link.inputValue();
    await other.context.close();

    const { page } = await platform.visit(NARROW);
    await page.goto(url);
    await page.getByLabel("New password", { exact: true }).fill(NEW_PASSWORD);
    await looksRight(page);
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByRole("heading", { level: 1, name: "Your password is set" }).waitFor();
    await page.getByRole("link", { name: "Sign in", exact: true }).click();
    await give(page, NEW_PASSWORD);
    await page.getByRole("button", { name: "Set up an authenticator app" }).click();
    const code = await app(page);
    await looksRight(page);
    await page.getByLabel("Code", { exact: true }).fill(code);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Keep your recovery codes" }).waitFor();
    await looksRight(page);
    await page.getByRole("button", { name: "I have kept them" }).click();
    await page.getByRole("heading", { level: 1, name: /Ada Lovelace/ }).waitFor();
  });
});
