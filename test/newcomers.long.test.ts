import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("newcomers", () => {
  const demo = stage(() => openPlatform("Pia Berg"));

  test("a link offers its form to who is new only where the team allows it, and lets one of them in, once, who can come back", async () => {
    const pia = await signedIn(demo, "Pia");
    await pia.page.goto(`${demo.url}/teams`);
    await pia.page.getByLabel("Name").fill("Field work");
    await pia.page.getByRole("button", { name: "Open the team" }).click();
    await pia.page.getByRole("button", { name: "Make a link" }).click();
    const link = await pia.page.getByLabel("Invitation link").inputValue();
    await pia.page.getByRole("rowheader", { name: "anyone with the link" }).waitFor();
    const box = pia.page.getByLabel("Allow people without an account");
    await box.click();
    await pia.page.getByRole("rowheader", { name: "people with an account" }).waitFor();

    const nora = await demo.visit({ viewport: { width: 390, height: 844 } });
    await nora.page.goto(link);
    await nora.page.getByText("This link is for people with an account").waitFor();
    expect(await nora.page.getByLabel("Your name").count(), "the form is not offered").toBe(0);
    await expectAccessibleInBothThemes(nora.page);

    await box.click();
    await expect.poll(async () => [await box.isEnabled(), await box.isChecked()]).toEqual([true, true]);
    await pia.page.getByRole("rowheader", { name: "anyone with the link" }).waitFor();
    await expectAccessibleInBothThemes(pia.page);
    await nora.page.reload();
    await nora.page.getByLabel("Your name").waitFor();
    await expectNoSideways(nora.page);
    await expectAccessibleInBothThemes(nora.page);
    await nora.page.getByLabel("Your name").fill("Nora \u202eLind");
    await nora.page.getByLabel("E-mail").fill("nora@example.org");
    await nora.page.getByLabel("Password", { exact: true }).fill("a long pass phrase");
    await nora.page.getByRole("button", { name: "Join" }).click();
    await nora.page.getByText("1 to 200 printable characters").waitFor();
    await nora.page.getByLabel("Your name").fill("Nora Lind");
    await nora.page.getByRole("button", { name: "Join" }).click();
    await nora.page.getByRole("heading", { level: 1, name: "Field work" }).waitFor();

    await nora.context.clearCookies();
    await nora.page.goto(`${demo.url}/sign-in`);
    await nora.page.getByLabel("E-mail").fill("nora@example.org");
    await nora.page.getByLabel("Password", { exact: true }).fill("a long pass phrase");
    await nora.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await nora.page.getByRole("heading", { level: 1, name: "Welcome, Nora Lind" }).waitFor();

    const late = await demo.visit();
    await late.page.goto(link);
    await late.page.getByText("This invitation no longer works").waitFor();
    await pia.page.reload();
    await pia.page.getByRole("row", { name: /Nora Lind member/ }).waitFor();
    expect([...pia.troubles, ...late.troubles]).toEqual([]);
    await Promise.all([pia.context.close(), nora.context.close(), late.context.close()]);
  });
});
