import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { join } from "node:path";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { PERMIT, type Permit, permitBody } from "@dosimeter/verify";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { buildFixture, pure } from "../packages/ledger/src/testing/fixture.kit.ts";
import { expectAccessibleInBothThemes, expectNoSideways, fileHost, stage, whyNoBrowser } from "./browser.kit.ts";
import { exported } from "./export.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const pictures = process.env.TEST_PICTURES;

async function pictured(page: Page, name: string): Promise<void> {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSideways(page);
    for (const colorScheme of pictures === undefined ? [] : (["light", "dark"] as const)) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${pictures}/explore-${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await expectAccessibleInBothThemes(page);
}

describe.skipIf(whyNoBrowser() !== null)("pages of Explore that teach, on a plain file host", () => {
  const files = stage(fileHost);
  const open = async (path: string) => {
    const visit = await files.visit();
    await visit.page.goto(`${files.host.url}#/explore/${path}`);
    await visit.page.getByRole("heading", { level: 1 }).waitFor();
    return visit;
  };

  test("one person's view: no printing brings a reader above the limit, which answers and ε move alone", async () => {
    const { page, troubles } = await open("one-person");
    const fact = (name: string) => page.locator("dt", { hasText: name }).locator("xpath=../dd");
    const percent = async (name: string) => Number((await fact(name).innerText()).replace(" %", ""));
    expect(await percent("No page like this brings them above")).toBe(65); // three answers at ε 0.2
    const seen = new Set<number>();
    for (let printing = 0; printing < 10; printing++) {
      const belief = await percent("They now believe");
      expect(belief).toBeGreaterThanOrEqual(34.9);
      expect(belief).toBeLessThanOrEqual(65);
      seen.add(belief);
      await page.getByRole("button", { name: "Print it with new noise" }).click();
    }
    expect(seen.size, "ten printings are hardly ever all alike").toBeGreaterThan(1);
    for (const name of ["took part", "smoke", "have diabetes"])
      await page.getByRole("checkbox", { name: `How many ${name}?` }).uncheck();
    expect(await percent("They now believe"), "an empty page says nothing").toBe(50);
    for (const name of ["took part", "smoke"]) await page.getByRole("checkbox", { name: `How many ${name}?` }).check();
    await page.getByRole("slider", { name: "epsilon of each answer" }).press("End");
    expect(await fact("No page like this").innerText()).toBe("99.8 %");
    await pictured(page, "one-person");
    expect(troubles).toEqual([]);
  });

  test("why add noise: the exact pair tells, the noisy one changes with every draw", async () => {
    const { page, troubles } = await open("why-noise");
    const noisy = page.getByRole("region", { name: "2 · Noise blurs the difference" }).locator("dl");
    const before = await noisy.innerText();
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Draw again" }).click();
        return noisy.innerText();
      })
      .not.toBe(before);
    await page.getByRole("img", { name: /^What June can come out as/ }).waitFor();
    await pictured(page, "why-noise");
    await page.getByRole("link", { name: /learn about you from a whole page/ }).click();
    await page.getByRole("heading", { name: "One person's view", level: 1 }).waitFor();
    expect(troubles).toEqual([]);
  });

  test("a certificate: an export or a permit is checked here; a changed letter, another text and a forged shape are said", async () => {
    const { page, troubles } = await open("certificate");
    const fixture = await buildFixture(await sqliteStore(join(temporaryFolder(), "ledger.sqlite")));
    await fixture.charge("a", pure("0.125"));
    const whole = await exported(fixture);
    await fixture.database.close();
    const check = async (text: string): Promise<void> => {
      await page.getByRole("textbox", { name: "Export or permit" }).fill(text);
      await page.getByRole("button", { name: "Check it" }).click();
    };
    await check(whole);
    await page.getByText("It adds up", { exact: true }).waitFor();
    await pictured(page, "certificate");
    await check(whole.replace(/"lifetime_epsilon":"\d/, (found) => `${found}1`).replace(/"at":"20/, '"at":"21'));
    await page.getByText("It does not add up").waitFor();
    await check("hello");
    await page.getByText("it is not a line of JSON").waitFor();

    const permit = permitOf({});
    await check(permit);
    await page.getByText("The signature fits, and it has not expired").waitFor();
    await pictured(page, "permit");
    await check(permit.replace("Weekly", "Yearly"));
    await page.getByText("Do not accept it").waitFor();
    for (const forged of [
      { price: null },
      { version: {} },
      { entry: "x" },
      { price: { epsilon: {}, delta: "0", mu2: null } },
      { price: { epsilon: "9".repeat(1e6), delta: "0", mu2: null } },
    ]) {
      await check(permitOf(forged));
      await page.getByText("it is not a permit of version 1").waitFor();
    }
    await check(permitOf({ expiresAt: "never" }));
    await page.getByText("It expired at never.").waitFor();
    await page.getByLabel("File to check").setInputFiles({
      name: "ledger.jsonl",
      mimeType: "application/x-ndjson",
      buffer: Buffer.from(whole),
    });
    await page.getByText("It adds up", { exact: true }).waitFor();
    expect(troubles).toEqual([]);
  });
});

const { privateKey, publicKey } = generateKeyPairSync("ed25519");

/** A permit that anyone could sign. */
function permitOf(changes: Readonly<Record<string, unknown>>): string {
  const at = new Date().toISOString();
  const permit = {
    ...{ charge: "chg_1", key: "train-7", ledger: "led_1", account: "acc_1", person: "per_1", dataset: "dat_1" },
    ...{ version: 1, purpose: "Weekly model", at, expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
    ...{ events: [], price: { epsilon: "0.1", delta: "0", mu2: null }, entry: { number: 12, hash: "ab" } },
    ...changes,
  } as unknown as Permit;
  const digest = createHash("sha256").update(permitBody(permit)).digest();
  const value = sign(null, digest, privateKey).toString("base64");
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  return JSON.stringify({ ...PERMIT, permit, signature: { algorithm: "Ed25519", publicKey: key, value } });
}
