import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  expectAccessibleInBothThemes,
  expectNoSideways,
  signedIn,
  stage,
  type Visit,
  whyNoBrowser,
} from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();
/** From a sign-in link to the first answer of who has a budget. */
const MAX_CLICKS = 5;

/** A person's page whose clicks are counted; typing is none. */
function handOf({ page }: Pick<Visit, "page">) {
  let clicks = 0;
  return {
    page,
    async click(target: Locator) {
      clicks += 1;
      await target.click();
    },
    /** The clicks since the last time they were asked for. */
    counted() {
      const before = clicks;
      clicks = 0;
      return before;
    },
  };
}

describe.skipIf(reason !== null)("the catalogue", () => {
  const demo = stage(openDemo);

  test("an analyst finds a dataset, asks, is offered less, accepts, and has a first answer", async () => {
    const [ben, dana] = [await signedIn(demo, "Ben"), await signedIn(demo, "Dana")];
    const hand = handOf(ben);
    await hand.click(ben.page.getByRole("link", { name: "Catalogue", exact: true }));
    await hand.click(ben.page.getByRole("link", { name: "Ask for budget on commutes" }));
    await ben.page.getByRole("heading", { level: 1, name: "commutes" }).waitFor();
    await ben.page.getByText("Dana Ortiz decides who gets budget.").waitFor();
    await ben.page.getByRole("row", { name: /minutes.*Way to work.*One way, on a usual day/ }).waitFor();
    await ben.page.getByText("How much should I ask for?").click();
    await ben.page.getByText("One count: within ± 30 in 95 of 100 cases.").waitFor();
    await ben.page.getByRole("button", { name: "Use this: ε 0.3" }).click();
    const amount = ben.page.getByLabel("ε", { exact: true });
    await expect.poll(() => amount.inputValue()).toBe("0.3");
    await amount.fill("0.5");
    await ben.page.getByLabel("What it is for").fill("Traffic at eight");
    await hand.click(ben.page.getByRole("button", { name: "Send the request" }));
    await ben.page.getByRole("article").filter({ hasText: "Traffic at eight" }).getByText("waiting").waitFor();
    expect(hand.counted(), "from home to the request").toBeLessThanOrEqual(3);

    await offer(dana.page);

    await ben.page.goto(demo.url);
    await hand.click(ben.page.getByRole("button", { name: "Accept ε 0.2 on commutes" }));
    await hand.click(
      ben.page.getByRole("listitem", { name: "Ben Okafor", exact: true }).getByRole("link", { name: "Plan a release" }),
    );
    await firstAnswer(ben.page, hand.click);
    expect(hand.counted(), "from the offer to the first answer").toBeLessThanOrEqual(MAX_CLICKS + 1);

    await ben.page.goto(`${demo.url}/catalog`);
    await ben.page.getByText("No other dataset is listed").waitFor();
    expect([...ben.troubles, ...dana.troubles]).toEqual([]);
    await Promise.all([ben.context.close(), dana.context.close()]);
  });

  test("who has a budget gets a first answer within five clicks from the link", async () => {
    const ana = await signedIn(demo, "Ana");
    const hand = handOf(ana);
    await hand.click(ana.page.getByRole("link", { name: /^Plan.*visits/ }));
    await firstAnswer(ana.page, hand.click);
    expect(hand.counted()).toBeLessThanOrEqual(MAX_CLICKS);
  });

  test("the palette and the search find it by name, and its columns they do not", async () => {
    const { page } = await signedIn(demo, "Ana");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /A page, dataset/ }).fill("catalogue");
    await page.getByRole("option", { name: /^Catalogue/ }).waitFor();
    await page.getByRole("combobox", { name: /A page, dataset/ }).fill("commut");
    await page.getByRole("option", { name: /^commutes.*dataset that you may ask for/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "commutes" }).waitFor();
    await page.goto(`${demo.url}/search?text=minutes`);
    await page.getByText("Nothing found").waitFor();
    await page.getByRole("link", { name: "Datasets that you may ask for" }).click();
    await page.getByRole("link", { name: "commutes", exact: true }).waitFor();
  });

  test("its admin says what it shows; taken out, it is gone and its page says the same as for what is not there", async () => {
    const [ana, dana] = [await signedIn(demo, "Ana"), await signedIn(demo, "Dana")];
    await dana.page.goto(`${demo.url}/datasets/commutes?tab=governance`);
    await dana.page.getByLabel("Description").fill("The way to work, 2026");
    const save = dana.page.getByRole("button", { name: "Save the description" });
    await save.click();
    await expect.poll(() => save.isDisabled()).toBe(true);
    await set(dana.page, "List its columns too", false);
    await dana.page.getByRole("link", { name: "in the catalogue" }).click();
    await dana.page.getByText("You see this dataset").waitFor();
    await ana.page.goto(dana.page.url());
    await ana.page.getByText("The way to work, 2026").waitFor();
    await expect.poll(() => ana.page.getByText("minutes").count()).toBe(0);

    await dana.page.goto(`${demo.url}/datasets/commutes?tab=governance`);
    await set(dana.page, "List it in the catalogue", false);
    await dana.page.getByText("Others cannot see that it exists").waitFor();
    const said = async (url: string) => {
      await ana.page.goto(url);
      await ana.page.getByText("NOT_FOUND").waitFor();
      return ana.page.locator("main").innerText();
    };
    const hidden = (await demo.host.operator.listDatasets({ name: "commutes" })).items[0]?.id;
    expect(await said(`${demo.url}/catalog/${hidden}`)).toBe(
      await said(`${demo.url}/catalog/dat_00000000000000000000`),
    );
    const unnamed = async (name: string) => {
      await ana.page.goto(`${demo.url}/catalog/${name}`);
      await ana.page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
      return ana.page.locator("main").innerText();
    };
    expect(await unnamed("commutes"), "nor by its name").toBe(await unnamed("nothing"));
    await set(dana.page, "List it in the catalogue", true);
    await dana.page.getByText("Others see only its entry in the catalogue").waitFor();
    await Promise.all([ana.context.close(), dana.context.close()]);
  });

  test("the pages are accessible, in the light and in the dark, and fit a phone", async () => {
    const { page } = await signedIn(demo, "Ana", { viewport: { width: 390, height: 844 } });
    await page.goto(`${demo.url}/catalog`);
    await page.getByRole("link", { name: "commutes", exact: true }).waitFor();
    await expectNoSideways(page);
    await expectAccessibleInBothThemes(page);
    await page.getByRole("link", { name: "commutes", exact: true }).click();
    await page.getByRole("button", { name: "Send the request" }).waitFor();
    await page.getByText("How much should I ask for?").click();
    await page.getByRole("button", { name: "Use this: ε 0.3" }).waitFor();
    await expectNoSideways(page);
    await expectAccessibleInBothThemes(page);
  });
});

/** Clicks a box whose state the server keeps, and waits until it has answered. */
async function set(page: Page, label: string, wanted: boolean): Promise<void> {
  const box = page.getByLabel(label);
  await box.click();
  await expect.poll(async () => [await box.isEnabled(), await box.isChecked()]).toEqual([true, wanted]);
}

/** The dataset's admin decides on the home page: less than was asked. */
async function offer(page: Page): Promise<void> {
  await page.reload();
  await page.getByRole("button", { name: "Decide on ε 0.5 for Ben Okafor" }).click();
  await page.getByLabel("Offer another amount").check();
  await page.getByText("Help me choose ε").click();
  await page.getByText(/^ε 0\.5 is [\d.]+ % of what .* has free/).waitFor();
  await page.getByLabel("ε to offer").fill("0.2");
  await page.getByRole("button", { name: "Offer ε 0.2" }).click();
  await page.getByText("Nothing is waiting for you").waitFor();
}

/** On the page of a new plan: one count. */
async function firstAnswer(page: Page, click: (target: Locator) => Promise<void>): Promise<void> {
  await click(page.getByRole("button", { name: "Count", exact: true }));
  await click(page.getByRole("button", { name: "Review and release" }));
  await click(page.getByRole("button", { name: /^Spend ε .* and release/ }));
  await page.getByText("Receipt and exact statement").waitFor();
}
