import { tmpdir } from "node:os";
import { describe, expect, test, vi } from "vitest";
import { settled, stage, whyNoBrowser } from "./browser.kit.ts";
import { pictureOf } from "./picture.kit.ts";
import { STEP_MS } from "./within.kit.ts";

const reason = whyNoBrowser();

/** A field on the page and one inside a closed <details>, whose borders take a tenth of a second to change colour. */
const PAGE = `<style>
  :root { color-scheme: light dark }
  input { border: 1px solid light-dark(red, blue); transition: border-color 100ms }
</style>
<h1>A page</h1><input id="open"><details><summary>More</summary><input id="folded"></details>`;

describe.skipIf(reason !== null)("a step in a browser", () => {
  const blank = stage(async () => ({ url: "about:blank", close: () => undefined }));

  async function switchedToDark() {
    const { page, context } = await blank.visit({ colorScheme: "light" });
    await page.setContent(PAGE);
    const read = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("input")].map((input) => getComputedStyle(input).borderTopColor),
      );
    await read();
    await page.emulateMedia({ colorScheme: "dark" });
    await read();
    return { page, context };
  }

  test("waits for a fade that shows, and not for one inside a closed <details>, which never ends", async () => {
    const { page } = await switchedToDark();
    await settled(page);
    const colour = await page.locator("#open").evaluate((input) => getComputedStyle(input).borderTopColor);
    expect(colour).toBe("rgb(0, 0, 255)");
  });

  test("has a time-out, also where Playwright has none", async () => {
    const { page } = await blank.visit();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const never = expect(page.evaluate(() => new Promise(() => {}))).rejects.toThrow(/^page.evaluate.*took longer/);
      await vi.advanceTimersByTimeAsync(STEP_MS);
      await never;
    } finally {
      vi.useRealTimers();
    }
  });

  test("that never ends is an error, and what the page shows is printed", async () => {
    const { page } = await switchedToDark();
    page.setDefaultTimeout(300);
    await page.evaluate(() => {
      document.querySelector("#open")?.animate([{ opacity: 0 }, { opacity: 1 }], 3_600_000);
    });
    await expect(settled(page)).rejects.toThrow(/Timeout 300ms exceeded/);
    const picture = await pictureOf(page, "a test of pictures", tmpdir());
    expect(picture).toContain("about:blank");
    expect(picture).toContain("A page");
    expect(picture).toMatch(/id="open".*running at \d+.*visible/);
    expect(picture).toMatch(/screenshot: .*a-test-of-pictures-\d+\.png/);
  });
});
