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

  test("is published after its typed value was read, opened without a sign-in, framed elsewhere, and gone once its link ends", async () => {
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
    expect(await publish.isDisabled()).toBe(true);
    await expectAccessibleInBothThemes(page);
    await dialog.getByRole("checkbox", { name: "65" }).check();
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
      reader.page.locator("img").evaluate((image) => (image as HTMLImageElement).complete && (image as HTMLImageElement).naturalWidth);
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
});
