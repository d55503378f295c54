import { globSync, readFileSync } from "node:fs";
import type { RouteName } from "@dosimeter/client";
import { routeNames } from "@dosimeter/client/routes";
import { describe, expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;

/** Routes that no page calls, and why. */
const withoutPage: Partial<Record<RouteName, string>> = {
  freezeLedger: "a page freezes through setLedger; the command gives a reason",
  watchRelease: "a page waits with showRelease",
  listFiles: "a page uploads the file that it declares",
  eraseFile: "a page declares what it uploads, and the rest expires",
  createDemoLinks: "dosimeter serve prints them",
  showRequest: "a page lists requests whole",
  showPerson: "a page lists people whole",
  quoteSql: "a page reads SQL itself, and quotes the plan",
  releaseSql: "a page reads SQL itself, and releases the plan",
  ready: "for balancers",
  showConfirmation: "a page lists what waits for its reader",
  syntheticRows: "a page makes the rows itself, in its worker",
  askSyntheticRows: "a page counts the rows itself, in its worker",
  showPublicAnswer: "it is a page",
  showPublicChart: "a picture of that page",
  approveCharge: "a page decides what waits; dosimeter charge approve states a charge that does not",
  showPermit: "the page that charges shows it",
  redeemPermit: "for who opens the data",
};

const sourceOf = (folder: string): string =>
  globSync(`${root}${folder}/**/*.{ts,tsx}`)
    .filter((file) => !/\.(test|kit)\./.test(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

describe("every route has a page", () => {
  const source = sourceOf("apps/web/src");
  const isCalled = (name: RouteName): boolean => new RegExp(`[."']${name}\\b`).test(source);

  test.each(routeNames)("%s", (name) => {
    const because = withoutPage[name];
    // A row of the table above that is not true any more has to go too.
    expect(isCalled(name), because ?? `apps/web/src does not call ${name}: add it, or say above why not`).toBe(
      because === undefined,
    );
  });
});
