import type { Locator, Page } from "playwright-core";

/** The hand of a person who walks through the pages: it counts clicks and choices of a list. Typing and pasting are none. */
export function counted() {
  let clicks = 0;
  return {
    click: (on: Locator) => {
      clicks += 1;
      return on.click();
    },
    choose: (on: Locator, label: string) => {
      clicks += 1;
      return on.selectOption({ label });
    },
    /** A click outside the pages. */
    tick: () => {
      clicks += 1;
    },
    clicks: () => clicks,
  };
}

export type Hand = ReturnType<typeof counted>;

const MAX_TABS = 80;

/** How often Tab is pressed, from where the focus is, until it is on `wanted`. */
export async function tabsTo(page: Page, wanted: Locator): Promise<number> {
  await wanted.waitFor();
  for (let tabs = 0; tabs <= MAX_TABS; tabs++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return tabs;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${MAX_TABS} Tabs do not reach ${wanted}`);
}
