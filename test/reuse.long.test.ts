import { createClient } from "@dosimeter/client";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { said } from "../packages/cli/src/terminal.kit.ts";
import { built, expectAccessible, expectNoSideways, forgetPlans, troublesOf, whyNoBrowser } from "./browser.kit.ts";
import { openCensus } from "./census.kit.ts";
import { launch } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { picturesOf } from "./picture.kit.ts";

const reason = whyNoBrowser();
const folder = temporaryFolder();

type Census = Awaited<ReturnType<typeof openCensus>>;

async function withCensus(body: (instance: Census, spent: () => Promise<number>) => Promise<void>): Promise<void> {
  const instance = await openCensus(built);
  try {
    const client = createClient({ url: instance.url, token: instance.token });
    await body(instance, async () =>
      Number((await client.showAccount({ account: instance.account })).balance.epsilon.spent),
    );
  } finally {
    await instance.close();
  }
}

async function dosimeter(args: readonly string[], { url, token }: Census): Promise<string> {
  const env = { DOSIMETER_URL: url, DOSIMETER_TOKEN: token };
  const { code, out, err } = await said(args, { env, cwd: folder });
  expect([code, err], args.join(" ")).toEqual([0, ""]);
  return out;
}

describe("sum, then count, then mean: two charges, and the third answer is free", () => {
  test("through the interface", () =>
    withCensus(async ({ url, token, dataset, account }, spent) => {
      const client = createClient({ url, token });
      const ask = (statistic: object, more: object = {}) =>
        client.releaseAndWait({ dataset, account, plan: { statistics: [statistic] }, ...more } as never);
      await ask({ statistic: "sum", column: "age", epsilon: "0.1" });
      await ask({ statistic: "count", epsilon: "0.1" });
      expect(await spent()).toBe(0.2);
      const mean = await ask({ statistic: "mean", column: "age", epsilon: "0.1" }, { reuse: "free" });
      expect(mean.answers?.[0]).toMatchObject({ cost: { epsilon: "0" }, origin: { kind: "derived" } });
      expect(await spent()).toBe(0.2);
    }));

  test("on the command line", () =>
    withCensus(async (instance, spent) => {
      await dosimeter(["release", "census", "-s", "sum age epsilon=0.1"], instance);
      await dosimeter(["release", "census", "-s", "count epsilon=0.1"], instance);
      const quoted = await dosimeter(["plan", "quote", "census", "-s", "mean age epsilon=0.1"], instance);
      expect(quoted).toContain("Free: worked out from");
      const mean = await dosimeter(["release", "census", "-s", "mean age epsilon=0.1", "--reuse", "free"], instance);
      expect(mean).toContain("free, from earlier answers");
      expect(await spent()).toBe(0.2);
      const listed = await dosimeter(["reuse", "list", "census", "--column", "age"], instance);
      expect(listed).toContain("sum of age");
      expect(await dosimeter(["reuse", "show", "census"], instance)).toContain("saved ε\t0.1");
      const operator = createClient({ url: instance.url, token: instance.operatorToken });
      const file = await operator.uploadFile({ name: "census.csv", content: new TextEncoder().encode(instance.more) });
      await operator.createVersion({ dataset: instance.dataset, file: file.id });
      const again = ["release", "census", "-s", "count epsilon=0.1", "--reuse", "asAccurate"];
      expect(await dosimeter([...again, "--as-of", "1"], instance)).toContain("free, from earlier answers");
      expect(await spent()).toBe(0.2);
      expect(await dosimeter(again, instance)).not.toContain("free");
      expect(await spent()).toBe(0.3);
      const versions = await dosimeter(["reuse", "list", "census", "--of-version", "1"], instance);
      expect(versions.match(/^count\b/gm)).toHaveLength(1);
    }));

  test.skipIf(reason !== null)("on the page", () =>
    withCensus(async (instance, spent) => {
      const browser = await launch();
      try {
        const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
        await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: instance.url });
        const troubles = troublesOf(context);
        const page = await context.newPage();
        await page.goto(await instance.link());
        await page.getByRole("heading", { level: 1, name: /Welcome/ }).waitFor();
        await planOne(page, instance, "sum\tage");
        await pay(page);
        await planOne(page, instance, "count\t");
        await pay(page, true);
        const before = await spent();
        expect(before).toBeGreaterThan(0);
        await planOne(page, instance, "mean\tage");
        const offer = page.getByRole("radio", { name: /^Free, ± / });
        await offer.waitFor();
        // It is free, and not as good as a new one: a person chooses.
        expect(await page.getByRole("radio", { name: /^ε .*, ± / }).isChecked()).toBe(true);
        await expectAccessible(page);
        await offer.check();
        // One answer has one ±: in its row, among the offers and in the review.
        const off = (await offer.locator("xpath=ancestor::*[contains(., 'Free')][1]").innerText()).match(
          /± ([\d.,]+)/,
        )?.[1];
        const first = page.getByRole("row", { name: /^Statistic 1:/ });
        await first.locator('[data-label="Fitness"]').getByText("owned").waitFor();
        expect(await first.locator('[data-label="Error ±"]').innerText()).toBe(off);
        expect(await first.locator('[data-label="Share of ε"]').innerText()).toBe("0");
        await page.getByText(`You already have ± ${off}: free, from an earlier answer.`).waitFor();
        await page.getByRole("button", { name: "Review and release" }).click();
        expect(await page.getByRole("dialog").innerText()).toContain(`within ± ${off} in`);
        await page.getByRole("button", { name: "Back to the plan" }).click();
        await page.getByText(/^fits$/).waitFor();
        await pay(page);
        await page.getByText(/^Free: from /).waitFor();
        expect(await spent()).toBe(before);

        // The same question again: as good and free, so it is chosen before anyone says so; a new one is one click away.
        await page.addInitScript(`
          window.shift = 0;
          window.typed = 0;
          addEventListener("keydown", () => { typed = performance.now(); }, true);
          new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) shift += one.value; })
            .observe({ type: "layout-shift", buffered: true });`);
        // The quote arrives long after the row is drawn, when no one types any more: the row takes the earlier answer, and nothing moves.
        const asked = Promise.withResolvers<void>();
        await page.route("**/v1/quotes", async (route) => {
          await asked.promise;
          await route.continue();
        });
        const planned = planOne(page, instance, "count\t");
        await page.getByRole("row", { name: /^Statistic 1: (?!unfinished)/ }).waitFor();
        await expect.poll(() => page.evaluate("performance.now() - typed"), { timeout: 60_000 }).toBeGreaterThan(1000);
        await page.evaluate("shift = 0"); // a slow machine draws the row half a second after the last key
        asked.resolve();
        await planned;
        await page.getByText("Earlier answers serve every row: nothing is paid.").waitFor();
        expect(await page.evaluate("shift")).toBeLessThanOrEqual(0.02);
        await page.unroute("**/v1/quotes");
        await page.getByRole("button", { name: /^Draw a new one for ε / }).click();
        await page.getByRole("button", { name: "Use it for free" }).click();
        await page.getByText(/^You already have ± .*: free, from an earlier answer\./).waitFor();

        await page.goto(`${instance.url}/datasets/${instance.dataset}?tab=budget`);
        await page.getByRole("heading", { name: "Saved by reuse" }).waitFor();
        await page.getByText("Answers reused").waitFor();
        await expectAccessible(page);
        await page.getByRole("link", { name: "Released answers" }).click();
        await page.getByRole("link", { name: "sum of age" }).waitFor();
        await page.getByRole("textbox", { name: "Search" }).fill("count");
        await page.getByRole("link", { name: "sum of age" }).waitFor({ state: "detached" });
        await expectAccessible(page);
        await page.getByRole("textbox", { name: "Search" }).fill("");
        await page.getByRole("button", { name: "Calculate" }).click();
        await page.getByText(/in 95 of 100 cases\. Free\.$/).waitFor();
        await page.setViewportSize({ width: 390, height: 800 });
        await expectNoSideways(page);
        await page.setViewportSize({ width: 1440, height: 1000 });

        // New rows of the same people, uploaded on the page: nothing is offered but as of then.
        const { url, token, dataset, account } = instance;
        await createClient({ url, token: instance.operatorToken }).grantRole({
          person: instance.person,
          role: "datasetAdmin",
          object: { kind: "dataset", id: dataset },
        });
        await page.goto(`${url}/datasets/${dataset}?tab=columns`);
        await page.getByRole("button", { name: "Upload new rows of the same people" }).waitFor();
        await page
          .getByRole("region", { name: "Versions", exact: true })
          .locator('input[type="file"]')
          .setInputFiles({ name: "census.csv", mimeType: "text/csv", buffer: Buffer.from(instance.more) });
        const versions = page.getByRole("table", { name: "Versions, newest first" });
        await versions.getByRole("row", { name: /^2 / }).waitFor();
        await planOne(page, instance, "count\t");
        const then = page.getByRole("combobox", { name: "Asked about" });
        await then.waitFor();
        expect(await page.getByRole("radio", { name: /^Free, ± / }).count()).toBe(0);
        await then.selectOption("1");
        await page
          .getByRole("radio", { name: /^Free, ± / })
          .first()
          .waitFor();
        await expectAccessible(page);

        // Answers of one release agree; an answer shows one interval, and the agreed one behind its line.
        const two = await createClient({ url, token }).releaseAndWait({
          dataset,
          account,
          plan: {
            statistics: [
              { statistic: "count", epsilon: "0.05" },
              { statistic: "histogram", column: "married", epsilon: "0.05" },
            ],
          },
        });
        await page.goto(`${url}/releases/${two.id}`);
        const agreed = page.getByText("The same, made to agree with the other answers of this release");
        await agreed.nth(1).waitFor();
        expect(await page.getByRole("table").count()).toBe(0);
        await agreed.first().click();
        await page.getByText(/^Made to agree: [\d,.]+ \(/).waitFor();
        await agreed.nth(1).click();
        await page.getByRole("table", { name: /: every answer$/ }).waitFor();
        await expectAccessible(page);
        await page.setViewportSize({ width: 390, height: 800 });
        await expectNoSideways(page);
        expect(troubles).toEqual([]);
      } catch (error) {
        console.error(await picturesOf(browser, "reuse on the page"));
        throw error;
      } finally {
        await browser.close();
      }
    }),
  );
});

/** A plan of one statistic, as pasted from a spreadsheet. */
async function planOne(page: Page, { url, dataset }: Census, row: string): Promise<void> {
  await page.goto(`${url}/explore`); // what an open plan has not sent yet is sent
  await forgetPlans(page);
  await page.goto(`${url}/datasets/${dataset}/plan`);
  await page.getByRole("button", { name: "Add a statistic" }).click();
  await page.evaluate((text) => navigator.clipboard.writeText(text), `statistic\tvariable\n${row}`);
  await page.locator("[data-place]").first().focus();
  await page.keyboard.press("Control+v");
  const first = page.getByRole("row", { name: /^Statistic 1:/ });
  await page.getByRole("row", { name: /^Statistic 2:/ }).waitFor();
  await first.locator('[data-label="Variable"]').focus();
  await page.keyboard.press("Control+Delete");
  await page.getByRole("row", { name: /^Statistic 2:/ }).waitFor({ state: "detached" });
  await page.getByText("fits", { exact: true }).waitFor();
}

/** A count of all rows asks for nothing; what has bounds asks where they come from. */
async function pay(page: Page, isCount = false): Promise<void> {
  await page.getByRole("button", { name: "Review and release" }).click();
  if (!isCount) await page.getByRole("checkbox", { name: /not read from the data/ }).check();
  await page.getByRole("button", { name: /^(Spend ε .* and release|Release, spending nothing)$/ }).click();
  await page.getByText("Receipt and exact statement").waitFor();
}
