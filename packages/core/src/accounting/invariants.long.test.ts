import { expect, test } from "vitest";
import { brokenInvariants, listOf } from "./broken-invariants.kit.ts";

/** Lists of one run; ten thousand are `npm run bench:night`. */
const LISTS = 200;
const FIRST = 45_000;

test.each(Array.from({ length: LISTS }, (_, i) => FIRST + i))(
  "what is said of random list %i can all be true",
  (seed) => {
    expect(brokenInvariants(seed, "some"), JSON.stringify(listOf(seed))).toEqual([]);
  },
);
