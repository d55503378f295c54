import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { brokenBounds, randomList } from "./bounds.kit.ts";

/** Lists of one run, at seeds of its own: the truth has no chance in it, so no correct accountant fails. */
const LISTS = 40;

test("random lists of sampled noise lie inside the bracket of another engine", () => {
  const first = randomInt(2 ** 30);
  for (let seed = first; seed < first + LISTS; seed++)
    expect(brokenBounds(randomList(seed)), `list ${seed}`).toEqual([]);
});
