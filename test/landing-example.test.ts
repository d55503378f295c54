import { expect, test } from "vitest";
import { example } from "../apps/web/src/landing/Playing.tsx";
import { countError, rightOf100 } from "../apps/web/src/parts/calculus.ts";
import { syntheticPeople } from "../packages/server/src/demo/people.ts";
import { DEMO_PEOPLE } from "../packages/server/src/demo/seed.ts";

test("the answer on the front page is the count of the demo's people and the noise that it shows", () => {
  const exact = syntheticPeople(DEMO_PEOPLE).filter(({ age }) => age >= 65).length;
  expect(example.answer - exact).toBe(example.noise);
  expect(countError(example.epsilon, 0.05), "as its release said").toBe(30);
});

test("the guesses that the front page shows are rounded up", () => {
  expect([0, 0.1, 1, 3, 10].map(rightOf100)).toEqual([50, 53, 74, 96, 100]);
});
