import { gdp } from "@dosimeter/tradeoff";
import { describe, expect, test } from "vitest";
import {
  curveOf,
  definitionOf,
  type Entry,
  isHeavy,
  nameOf,
  readState,
  startState,
  unreadIn,
  withoutEntry,
  writeState,
} from "./state.ts";

const curves: readonly Entry[] = [
  { epsdelta: [1, 1e-6] },
  { gdp: 0.6 },
  { gdp: 0.8 },
  { points: [[0.1, 0.7]], name: "attack" },
  {
    together: [
      [1, 1],
      [2, 1],
    ],
  },
  {
    together: [
      [0, 3],
      [4, 1],
    ],
  },
];

test("the address gives back the state", () => {
  const state = { curves, axes: "log", rate: 1e-4, prior: 0.1 } as const;
  expect(readState(JSON.parse(JSON.stringify(writeState(state))))).toEqual(state);
  expect(writeState(startState)).toEqual({});
  expect(readState({})).toEqual(startState);
});

test.each([
  [{ curves: "x", axes: "polar", rate: -1, prior: 7 }, startState],
  [
    {
      curves: [
        { gdp: "1" },
        { gdp: -1 },
        { epsdelta: [1] },
        { lap: null },
        3,
        { points: [], name: "x" },
        { points: [[0.9, 0.9]], name: "x" },
      ],
    },
    { ...startState, curves: [] },
  ],
  [{ curves: [{ together: [[0, 1]] }] }, { ...startState, curves: [] }],
  [{ curves: [{ gdp: 1 }, { together: [[0, 1e9]] }] }, { ...startState, curves: [{ gdp: 1 }] }],
] as const)("what an address holds wrongly is as at the start: %j", (search, state) => {
  expect(readState(search)).toEqual(state);
});

test("long lists of points stay out of the address, and compositions with them", () => {
  const points = Array.from({ length: 200 }, (_, i) => [i / 200, 0.5 * (1 - i / 200)] as const);
  expect(writeState({ ...startState, curves: [{ gdp: 1 }, { points, name: "many" }, { together: [[1, 2]] }] })).toEqual(
    { curves: [{ gdp: 1 }] },
  );
});

test("what an address holds that is no curve is left out, and counted", () => {
  expect(unreadIn({})).toBe(0);
  expect(unreadIn({ curves: [{ gdp: 1 }, { gdp: -1 }, { bogus: 1 }, { together: [[9, 1]] }] })).toBe(3);
  expect(readState({ curves: [{ gdp: 1 }, { gdp: -1 }] }).curves).toEqual([{ gdp: 1 }]);
});

describe("compositions", () => {
  test("are written out, named and computed", () => {
    expect(definitionOf(curves, 4)).toEqual({ compose: [{ gdp: 0.6 }, { gdp: 0.8 }] });
    expect(nameOf(curves, 4)).toBe("0.6-GDP + 0.8-GDP");
    expect(curveOf(curves, 4)?.beta(0.05)).toBe(gdp(1).beta(0.05));
    expect(nameOf(curves, 5)).toBe("3 × (1,1e-06)-DP + 0.6-GDP + 0.8-GDP");
    expect(definitionOf([{ together: [] }], 0)).toBeNull();
  });
  test("of unlike curves are known to take a moment", () => {
    expect(isHeavy({ compose: [{ gdp: 1 }, { selfCompose: [3, { gdp: 2 }] }] })).toBe(false);
    expect(isHeavy({ compose: [{ epsdelta: [1, 0] }] })).toBe(false);
    expect(isHeavy({ compose: [{ gdp: 1 }, { lap: 1 }] })).toBe(true);
    expect(isHeavy({ lap: 1 })).toBe(false);
  });
  test("lose a removed curve and follow the others", () => {
    expect(withoutEntry(curves, 1)[3]).toEqual({ together: [[1, 1]] });
    expect(withoutEntry(curves, 0)[4]).toEqual({ together: [[3, 1]] });
  });
});
