// Takes 27 states of the pages at 1440 and 390 px, light and dark, for people to look at: `npm run snapshots [name …]`.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { launch } from "../test/demo.kit.ts";
import { openStates, pageOf, states, WIDTHS } from "../test/states.kit.ts";

const folder = process.env.TEST_PICTURES ?? join(import.meta.dirname, "..", "screenshots", "states");
await mkdir(folder, { recursive: true });
const wanted = new Set(process.argv.slice(2));
const [browser, places] = await Promise.all([launch(), openStates()]);
for (const width of WIDTHS) {
  for (const [name, state] of Object.entries(states)) {
    if (wanted.size > 0 && !wanted.has(name)) continue;
    const page = await pageOf(browser, width);
    await state(page, places);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.evaluate(() => scrollTo(0, 0));
      await page.waitForTimeout(250); // colours fade from one theme to the other
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
    }
    await page.context().close();
  }
}
await browser.close();
await places.close();
console.log(`Pictures of ${wanted.size || Object.keys(states).length} states are in ${folder}`);
