import { expect, test } from "vitest";
import { quotaBuys, quotaChoices, shareText } from "./quota.ts";

const room = { epsilon: "3", what: "what adults has free" };

test("quotas are shares of the room, never above it; usual ones where nothing is known of it", () => {
  expect(quotaChoices(room).map(({ epsilon }) => epsilon)).toEqual([0.15, 0.3, 0.75]);
  expect(quotaChoices({ ...room, epsilon: "0.0777" }).map(({ epsilon }) => epsilon)).toEqual([0.0038, 0.0077, 0.019]);
  expect(quotaChoices(undefined).map(({ epsilon }) => epsilon)).toEqual([0.1, 0.3, 1]);
});

test("what a quota buys is said in the declared unit, and of the declared size", () => {
  expect(quotaBuys(0.1, 20_000, "planes")).toEqual([
    "One count: within ± 30 of 20,000 planes in 95 of 100 cases.",
    "One mean instead: within about 0.37 % of the range of its column.",
  ]);
  expect(quotaBuys(0.1, 50, "planes").at(-1)).toBe("One mean instead: too far off to be of use.");
  expect(quotaBuys(0.1, undefined, undefined)).toEqual([
    "One count: within ± 30 in 95 of 100 cases.",
    "Of a count of 300 or more, that is at most a tenth. The size of the dataset is not said here.",
  ]);
});

test("a typed quota is judged as a share of what there is, not as a lifetime", () => {
  expect(shareText("0.3", room)).toBe("ε 0.3 is 10 % of what adults has free, ε 3.");
  expect(shareText("4", room)).toBe("ε 4 is more than what adults has free, ε 3.");
  expect(shareText("", room)).toBeUndefined();
  expect(shareText("0.3", { ...room, epsilon: "0" })).toBe("Nothing is left of what adults has free.");
});
