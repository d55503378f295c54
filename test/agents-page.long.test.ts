import { createClient } from "@dosimeter/client";
import { describe, expect, test } from "vitest";
import { CSV, countPlan, csvBytes, declaration } from "../packages/server/src/instance.kit.ts";
import { expectAccessible, expectNoSideways, signedIn, stage, whyNoBrowser } from "./browser.kit.ts";
import { openPlatform } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)("the agents of a person, on the page of settings", () => {
  const demo = stage(() => openPlatform("Pia Berg", {}));

  test("their person sets limits, sees what waits and why, confirms one, refuses one, and removes the agent", async () => {
    const { operator } = demo.host;
    const file = await operator.uploadFile({ name: "staff.csv", content: csvBytes(CSV) });
    const { id: dataset } = await operator.createDataset({ file: file.id, declaration });
    const { id: ledger } = await operator.openLedger({ dataset, epsilon: "5", delta: "1e-6" });
    const pia = (await operator.listPeople({})).items.find(({ name }) => name === "Pia Berg")?.id ?? "";
    const { id: agent } = await operator.createPerson({ name: "Helper", kind: "agent", onBehalfOf: pia });
    for (const id of [agent, pia])
      await operator.createAccount({ ledger, holder: { kind: "person", id }, epsilon: "1" });
    const { secret } = await operator.createServiceToken({ person: agent, name: "t", scopes: ["read", "release"] });
    const hers = createClient({ url: demo.url, token: secret });
    const account = (await hers.listMyAccounts({})).items[0]?.id ?? "";
    const ask = (epsilon: string, purpose: string) =>
      hers.createRelease(
        { dataset, account, plan: countPlan(epsilon), purpose },
        { idempotencyKey: purpose.slice(0, 3) },
      );

    const { page, troubles } = await signedIn(demo, "Pia");
    await page.goto(`${demo.url}/settings`);
    const shown = page.getByRole("region", { name: "Helper", exact: true });
    await shown.getByRole("button", { name: "Change its limits" }).click();
    await page.getByLabel("Most within any hour, ε").fill("0.5");
    await page.getByLabel("A release waits for my click above, ε").fill("0.1");
    await page.getByRole("button", { name: "Save" }).click();
    await shown.getByText("0.5").waitFor();

    const share = shown.getByRole("region", { name: "Budget of staff" });
    await share.getByRole("button", { name: "Give it of my budget" }).click();
    await page.getByLabel("How much, ε").fill("0.5");
    await page.getByRole("button", { name: "Give it", exact: true }).click();
    await share.getByText("1.5").waitFor();
    await share.getByRole("button", { name: "Take budget back" }).click();
    await page.getByLabel("How much, ε").fill("0.2");
    await page.getByRole("button", { name: "Take it back" }).click();
    await share.getByText("1.3").waitFor();

    await expect(ask("0.2", "one: how many?”, says your admin")).rejects.toMatchObject({ code: "CONFIRMATION_NEEDED" });
    await expect(ask("0.3", "two: <b>again</b>")).rejects.toMatchObject({ code: "CONFIRMATION_NEEDED" });
    await page.reload();
    const waiting = shown.getByRole("region", { name: /^Waits for you/ });
    await waiting
      .first()
      .getByRole("blockquote")
      .getByText("one: how many?”, says your admin", { exact: true })
      .waitFor();
    await waiting.first().getByText("SELECT").waitFor();
    await waiting.last().getByRole("blockquote").getByText("two: <b>again</b>", { exact: true }).waitFor();
    await expectAccessible(page);
    await expectNoSideways(page);
    const confirm = waiting.first().getByRole("button", { name: "Confirm and pay" });
    await confirm.evaluate((button: HTMLElement) => {
      dispatchEvent(new Event("focus"));
      button.click();
    });
    await page.waitForTimeout(600);
    expect(await waiting.count(), "a click on what lay over the page decides nothing").toBe(2);
    await confirm.click();
    await shown.getByRole("link", { name: /^Count/ }).waitFor();
    await waiting.getByRole("button", { name: "Refuse" }).click();
    await waiting.waitFor({ state: "detached" });
    expect((await ask("0.2", "one: how many?”, says your admin")).epsilon).toBe("0.2");
    await expect(ask("0.3", "two: <b>again</b>")).rejects.toMatchObject({ details: { decision: "refused" } });

    await shown.getByRole("button", { name: "Remove it" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
    await shown.getByText("removed").waitFor();
    await expect(hers.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    expect(troubles).toEqual([]);
  });
});
