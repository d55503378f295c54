import { describe, expect, test } from "vitest";
import { expectAccessible, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("health of the server, on the page of settings", () => {
  const work = { id: "work", name: "Work", issuer: "https://127.0.0.1:2", clientId: "d", clientSecret: "s" };
  const demo = stage(() =>
    openPlatform("Pia Berg", { mail: { url: "smtp://127.0.0.1:1", from: "d@example.org" }, oidc: [work] }),
  );

  test("an admin presses one button, and reads what to do; others have no such buttons", async () => {
    const { page } = await signedIn(demo, "Pia");
    const me = (await demo.host.operator.listPeople({})).items.find(({ name }) => name === "Pia Berg");
    await demo.host.operator.setPerson({ person: me?.id ?? "", email: "pia@example.org" });
    await page.goto(`${demo.url}/settings`);
    await page.getByRole("button", { name: "Send me a letter" }).click();
    await page.getByText("The mail server cannot be reached: look at host and port").waitFor();
    await page.getByRole("button", { name: "Try everything" }).click();
    await page.getByText("2 things do not work.").waitFor();
    const needs = page.getByRole("table", { name: "What the server needs" });
    await expect.poll(() => needs.innerText()).toMatch(/the provider Work cannot be reached at/i);
    await page.getByText("To paste into other programs").click();
    await page.getByText("/auth/oidc/work/callback").waitFor();
    await expectAccessible(page);
    const secrets = page.getByRole("table", { name: "Keys and secrets" });
    await secrets.getByText("dosimeter rotate signing-key").waitFor();
    await secrets.getByText("issue a new one at Work, then set it in DOSIMETER_OIDC").waitFor();
    await expectAccessible(page);
    const { id: other } = await demo.host.operator.createPerson({ name: "Ana Silva" });
    const visit = await demo.visit();
    await visit.page.goto(await demo.host.linkOf(other));
    await visit.page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
    await visit.page.goto(`${demo.url}/settings`);
    await visit.page.getByRole("heading", { name: "Tokens for programs" }).waitFor();
    expect(await visit.page.getByRole("button", { name: "Send me a letter" }).count()).toBe(0);
    expect(await visit.page.getByRole("heading", { name: "Keys and secrets of this server" }).count()).toBe(0);
  });
});
