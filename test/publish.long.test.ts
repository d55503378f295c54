import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { signedIn as clientOf } from "@dosimeter/server";
import { describe, expect, test } from "vitest";
import {
  expectAccessible,
  expectAccessibleInBothThemes,
  expectNoSideways,
  signedIn,
  stage,
  whyNoBrowser,
} from "./browser.kit.ts";
import { openDemo } from "./demo.kit.ts";

const reason = whyNoBrowser();

describe.skipIf(reason !== null)(`a public release${reason === null ? "" : `: ${reason}`}`, () => {
  const demo = stage(openDemo);

  test("is published after each typed value was read, opened without a sign-in, framed elsewhere, and gone once its link ends", async () => {
    const ana = await clientOf({ url: demo.url, fetch: (request) => fetch(request) }, await demo.host.link("Ana"));
    const [adults] = (await ana.listDatasets({ name: "adults" })).items;
    const [account] = (await ana.listMyAccounts({})).items;
    const { id } = await ana.releaseAndWait({
      dataset: adults?.id ?? "",
      account: account?.id ?? "",
      plan: {
        statistics: [
          { id: "old", statistic: "count", where: "age >= 65", epsilon: "0.02" },
          { id: "by", statistic: "count", groupBy: ["education"], where: "age >= 65", epsilon: "0.05" },
        ],
      },
    });

    const dana = await signedIn(demo, "Dana");
    const { page } = dana;
    await page.goto(new URL(`/releases/${id}`, demo.url).href);
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    const dialog = page.getByRole("dialog");
    const publish = dialog.getByRole("button", { name: "Publish" });
    await dialog.getByRole("textbox", { name: "Title" }).fill("People of 65 and more");
    await expectAccessibleInBothThemes(page);
    for (const name of ["old", "65", "by"]) {
      expect(await publish.isDisabled()).toBe(true);
      await dialog.getByRole("checkbox", { name, exact: true }).check();
    }
    await publish.click();
    const url = await dialog.getByRole("textbox", { name: "Link" }).inputValue();
    expect(url).toMatch(new RegExp(`^${demo.url}/public/answers/pub_[0-9a-z]{32}$`));
    const frame = await dialog.getByRole("textbox", { name: "Frame for another page" }).inputValue();
    const picture = await dialog.getByRole("textbox", { name: "Picture" }).inputValue();
    await expectAccessibleInBothThemes(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Public", exact: true }).waitFor();

    // Someone without an account, on a phone, in the dark.
    const reader = await demo.visit({ viewport: { width: 390, height: 844 } });
    expect((await reader.page.goto(url))?.status()).toBe(200);
    for (const colorScheme of ["light", "dark"] as const) {
      await reader.page.emulateMedia({ colorScheme });
      await expectAccessible(reader.page);
    }
    await expectNoSideways(reader.page);
    await reader.page.getByRole("heading", { level: 1, name: "People of 65 and more" }).waitFor();
    expect(await reader.page.getByRole("main").innerText()).not.toMatch(/Ana|Silva|Dana|Public health/);
    expect(await reader.context.cookies()).toEqual([]);

    // A page of another origin, which runs no script of ours and gets no cookie.
    const host = createServer((_, response) =>
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`<!doctype html><html lang="en"><title>News</title>${frame}${picture}`),
    );
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    const elsewhere = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
    const shown = reader.page.frameLocator("iframe").getByRole("heading", { level: 1 });
    const pictured = () =>
      reader.page
        .locator("img")
        .evaluate((image) => (image as HTMLImageElement).complete && (image as HTMLImageElement).naturalWidth);
    await reader.page.goto(elsewhere);
    expect(await shown.innerText()).toBe("People of 65 and more");
    await expect.poll(pictured).toBeGreaterThan(100);
    expect(reader.troubles).toEqual([]);

    await page.getByRole("button", { name: "Public", exact: true }).click();
    await dialog.getByRole("button", { name: "End the link" }).click();
    await dialog.getByText("no cap gets anything back").waitFor();
    await dialog.getByRole("button", { name: "End the link" }).click();
    await page.getByRole("button", { name: "Publish", exact: true }).waitFor();
    await reader.page.goto(elsewhere);
    expect(await shown.innerText()).not.toContain("65");
    await expect.poll(pictured).toBe(0);
    expect((await reader.page.goto(url))?.status()).toBe(404);
    await reader.page.getByText("nothing is public here").waitFor();
    expect(dana.troubles).toEqual([]);
    host.close();
  });

  test("is put on a dashboard in an order of one's own, and shared with a team, of which each sees what they may read", async () => {
    const ana = await signedIn(demo, "Ana");
    const { page } = ana;
    const dialog = page.getByRole("dialog");
    await page.goto(new URL("/dashboards", demo.url).href);
    await page.getByText("No dashboard yet").waitFor();
    await expectAccessibleInBothThemes(page);
    for (const name of [/^Histogram of age/i, /^Count and mean of Income/]) {
      await page.goto(new URL("/releases", demo.url).href);
      await page.getByRole("main").getByRole("link", { name }).first().click();
      await page.getByRole("button", { name: "Add to a dashboard" }).click();
      const fresh = dialog.getByRole("textbox", { name: "Name of the new dashboard" });
      const add = dialog.getByRole("button", { name: "Add", exact: true });
      if (await fresh.isVisible()) await fresh.fill("Adults");
      await expect.poll(() => add.isEnabled()).toBe(true);
      await add.click();
      await page.getByText("It is on Adults.").waitFor({ state: "attached" });
    }
    await page.getByRole("link", { name: "Dashboards" }).click();
    await page.getByRole("main").getByRole("link", { name: "Adults" }).click();
    const cards = () => page.getByRole("main").locator("section.card > .card-head h2").allInnerTexts();
    await expect.poll(async () => (await cards()).length).toBe(2);
    const [first, second] = await cards();
    await expectAccessibleInBothThemes(page);

    await page.getByRole("button", { name: "Edit" }).click();
    await dialog.getByRole("button", { name: `Move ${first} down` }).focus();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      .toBe(`Move ${first} down`);
    await dialog.getByRole("combobox", { name: "Share with a team" }).selectOption({ label: "Public health" });
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Shared with Public health").waitFor();
    await expect.poll(cards).toEqual([second, first]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoSideways(page);

    // Ben is in the team, and reads nothing that Ana's own budget paid for.
    const ben = await signedIn(demo, "Ben");
    await ben.page.goto(page.url());
    await ben.page.getByRole("heading", { level: 1, name: "Adults" }).waitFor();
    expect(await ben.page.getByText("You have no access to this.").count()).toBe(2);
    expect(await ben.page.getByRole("main").innerText()).not.toMatch(/income|histogram/i);
    expect([...ana.troubles, ...ben.troubles]).toEqual([]);
  });
});
