import { globSync, readFileSync } from "node:fs";
import { type RouteName, routeNames } from "@dosimeter/client";
import { describe, expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;

/** Routes that no command calls, and why. */
const withoutCommand: Partial<Record<RouteName, string>> = {
  createRelease: "the SDK's releaseAndWait calls it",
  releaseSql: "the SDK's releaseSqlAndWait calls it",
  watchRelease: "a command waits with showRelease",
  listFiles: "a command uploads the file that it declares",
  eraseFile: "a command declares what it uploads, and the rest expires",
  describeFile: "a command reads the declaration from a file",
  showPerson: "a command finds people in the list",
  signIn: "a command comes with a token",
  showSession: "a command comes with a token",
  createFirstAdmin: "dosimeter person create and dosimeter role grant do it with the operator's token",
  continueAs: "for browsers of a demo",
  showInvitation: "a command joins with team join, which says the team",
  beginSecondFactor: "an app is set up where its picture is: on the page of settings",
  confirmSecondFactor: "an app is set up where its picture is: on the page of settings",
  endSecondFactor: "on the page of settings; dosimeter person second-factor ends that of who lost theirs",
  startSecondFactor: "a command comes with a token",
  resetPassword: "on the page that the link opens, which only its person sees",
  signInWays: "a command comes with a token",
  requestSignInLink: "a command comes with a token",
  viewAs: "for browsers of a demo",
  ready: "for balancers",
  showConfirmation: "a command sends the release again, with its key",
  decideConfirmation: "a person decides in a browser, and nowhere else",
  syntheticRows: "a command makes the rows itself, any number of them",
  askSyntheticRows: "a command counts the rows that it makes itself",
};

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
};

const sourceOf = (folder: string): string =>
  globSync(`${root}${folder}/**/*.{ts,tsx}`)
    .filter((file) => !/\.(test|kit)\./.test(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");

describe.each([
  ["command", "packages/cli/src", withoutCommand],
  ["page", "apps/web/src", withoutPage],
] as const)("every route has a %s", (_, folder, without) => {
  const source = sourceOf(folder);
  const isCalled = (name: RouteName): boolean => new RegExp(`[."']${name}\\b`).test(source);

  test.each(routeNames)("%s", (name) => {
    const because = without[name];
    // A row of the table above that is not true any more has to go too.
    expect(isCalled(name), because ?? `${folder} does not call ${name}: add it, or say above why not`).toBe(
      because === undefined,
    );
  });
});
