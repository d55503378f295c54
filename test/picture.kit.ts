import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { STEP_MS, within } from "./within.kit.ts";

/** The folder of the screenshots of failed tests. */
const kept = process.env.TEST_PICTURES ?? join(import.meta.dirname, "../screenshots/failed");
const PICTURE_MS = 10_000;

/** Calls of Playwright that have no time-out of their own. */
const UNBOUNDED = {
  browser: ["newContext", "newPage", "close"],
  context: ["newPage", "close"],
  page: ["evaluate", "evaluateHandle", "title", "content", "close"],
  locator: ["evaluate", "evaluateAll", "count", "all", "allInnerTexts", "allTextContents", "isVisible", "isHidden"],
} as const;

const BOUNDED = Symbol("each call has a time-out");

function boundCalls(example: object, kind: keyof typeof UNBOUNDED): void {
  const prototype = Object.getPrototypeOf(example);
  if (BOUNDED in prototype) return;
  for (const name of UNBOUNDED[kind]) {
    const original = prototype[name];
    prototype[name] = function (this: object, ...args: unknown[]) {
      return within(`${kind}.${name}(${String(args[0] ?? "").slice(0, 200)})`, original.apply(this, args));
    };
  }
  prototype[BOUNDED] = true;
}

/** No call of this browser, its contexts and pages waits longer than one step may take. */
export function boundSteps(browser: Browser): void {
  boundCalls(browser, "browser");
  browser.on("context", (context: BrowserContext) => {
    context.setDefaultTimeout(STEP_MS);
    boundCalls(context, "context");
    context.on("page", (page) => {
      boundCalls(page, "page");
      boundCalls(page.locator("html"), "locator");
    });
  });
}

/** Describes a page: its address, text, animations, and a screenshot in a file. Never fails. */
export async function pictureOf(page: Page, name: string, folder = kept): Promise<string> {
  const file = join(folder, `${name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80)}-${Date.now()}.png`);
  const orWhyNot = (work: Promise<string>) =>
    within("the picture", work, PICTURE_MS).catch((error) => `(not available: ${error})`);
  mkdirSync(folder, { recursive: true });
  const saved = orWhyNot(page.screenshot({ path: file, timeout: PICTURE_MS }).then(() => file));
  const seen = orWhyNot(
    page.evaluate(() => {
      const animations = document.getAnimations().map((animation) => {
        const { playState, currentTime, effect } = animation;
        const what = "transitionProperty" in animation ? animation.transitionProperty : animation.id;
        const target = effect instanceof KeyframeEffect ? effect.target : null;
        return `${target?.outerHTML.slice(0, 80)} ${what}: ${playState} at ${currentTime}, ${target?.checkVisibility() ? "visible" : "not rendered"}`;
      });
      return [
        `focus: ${document.activeElement?.outerHTML.slice(0, 120)}`,
        `animations: ${animations.length}`,
        ...animations.slice(0, 20),
        document.body.innerText.slice(0, 4000),
      ].join("\n");
    }),
  );
  return [`--- ${page.url()}`, `screenshot: ${await saved}`, await seen, "---"].join("\n");
}

/** A picture of every page that a browser has open. */
export async function picturesOf(browser: Browser, name: string): Promise<string> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  return (await Promise.all(pages.map((page, index) => pictureOf(page, `${name} ${index + 1}`)))).join("\n");
}
