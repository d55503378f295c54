import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { expectAccessibleInBothThemes, expectNoSideways, stage, whyNoBrowser } from "./browser.kit.ts";
import { heightOf, openStates, pageOf, states, WIDTHS } from "./states.kit.ts";

const MAX_SHIFT = 0.02;

/** Sums what moves by itself: nothing after the first key or click, which may move what it likes. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const seen = globalThis as unknown as { moved: number };
    seen.moved = 0;
    const shifts = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) seen.moved += entry.value;
    });
    shifts.observe({ type: "layout-shift", buffered: true });
    for (const input of ["keydown", "pointerdown"])
      addEventListener(input, () => shifts.disconnect(), { capture: true, once: true });
  });

const movedOn = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { moved: number }).moved);

/** Texts that are wider than what shows of them, where nothing scrolls and no title has the whole. */
const cutOn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("main *, nav *")].flatMap((element) => {
      const hasText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim(),
      );
      if (!hasText || element.clientWidth <= 1 || !element.checkVisibility()) return [];
      const { overflowX } = getComputedStyle(element);
      if (overflowX === "visible" || overflowX === "auto" || overflowX === "scroll") return [];
      if (element.title !== "" || element.closest("[title]") !== null) return [];
      return element.scrollWidth > element.clientWidth + 1 ? [element.innerText.slice(0, 80)] : [];
    }),
  );

/** Numbers, with their signs, points and groups, that stand on two lines. */
const brokenOn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.parentElement?.checkVisibility() !== true) continue;
      for (const match of (node.nodeValue ?? "").matchAll(/(?<![\w.])[−-]?\d[\d.,\u202f\u00a0]*\d(?!\w)/g)) {
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (tops.size > 1) found.push(match[0]);
      }
    }
    return found;
  });

describe.skipIf(whyNoBrowser() !== null)(
  "nothing is sideways, cut, on two lines, moving or inaccessible in the state",
  () => {
    const stand = stage(async () => {
      const places = await openStates();
      return { url: places.demo.url, places, close: places.close };
    });

    test.for(Object.keys(states) as (keyof typeof states)[])("%s", async (name) => {
      const page = await pageOf(stand.browser, WIDTHS[0]);
      await watchShifts(page);
      await states[name](page, stand.host.places);
      expect(await movedOn(page)).toBeLessThanOrEqual(MAX_SHIFT);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: heightOf(width) });
        // Charts are drawn again for the new width.
        await expect.poll(() => cutOn(page), { message: `cut at ${width}` }).toEqual([]);
        await expect.poll(() => brokenOn(page), { message: `on two lines at ${width}` }).toEqual([]);
        await expectNoSideways(page);
      }
      await expectAccessibleInBothThemes(page);
      await page.context().close();
    });
  },
);
