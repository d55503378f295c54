import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { actions } from "./actions.kit.ts";
import { type Explored, explore } from "./explore.kit.ts";
import { protocol } from "./protocol.kit.ts";
import { type Action, type Bounds, type Rules, rules } from "./state.kit.ts";

const root = join(import.meta.dirname, "../..");

const asItIs = Object.fromEntries(Object.keys(rules).map((rule) => [rule, true])) as Rules;

/** What is explored to its end: every order of every action within these bounds. */
const machine = {
  ...{ servers: 1, keys: ["x", "y"], charges: ["a", "b", "c"], lifetime: 2 },
  left: { crashes: 1, copies: 1, folders: 1 },
} as const;
const bounds = {
  "two servers and crashes": {
    ...{ servers: 2, keys: ["x", "x", "y"], charges: ["a", "b", "c"], lifetime: 2, hasWitness: false },
    left: { crashes: 2, copies: 0, folders: 0 },
  },
  "an older database takes over from two servers": {
    ...{ servers: 2, keys: ["x", "y"], charges: ["a", "b"], lifetime: 2, hasWitness: false },
    left: { crashes: 1, copies: 1, folders: 0 },
  },
  "a machine is lost": { ...machine, hasWitness: false },
  "a machine is lost, and a witness is there": { ...machine, hasWitness: true },
} as const satisfies Readonly<Record<string, Bounds>>;
type Bounded = keyof typeof bounds;

const said = (name: string, { states, transitions, depth }: Explored): void =>
  console.info(`${name}: ${states} states, ${transitions} transitions, ${depth} steps deep`);

test.each(Object.keys(bounds) as Bounded[])(
  "%s: no order of events answers or charges twice, loses, forgets or overspends",
  (name) => {
    const explored = explore(protocol(bounds[name], asItIs));
    said(name, explored);
    expect(explored.wrong).toBeNull();
    expect(explored.states).toBeGreaterThan(1_000);
  },
);

describe("a rule that is left out breaks it, by this shortest way", () => {
  const [crashes, takesOver] = ["two servers and crashes", "an older database takes over from two servers"] as const;
  const left: readonly (readonly [string, Bounded, string, number])[] = [
    ["chargesInside", crashes, "over the lifetime", 5],
    ["keysOnce", crashes, "charged twice", 3],
    ["durable", crashes, "lost", 5],
    ["storesFirst", crashes, "answered twice", 4],
    ["keepsStored ownsLease", crashes, "lost", 7], // either of them is enough while the database stays
    ["takesOthers", crashes, "never answered", 3],
    ["ownsLease", takesOver, "answered twice", 10],
    ["losesPending", takesOver, "answered twice", 10],
    ["fencesCopy", takesOver, "answered twice", 9],
    ["comparesCopy", takesOver, "uncounted", 6],
    ["writesOff", takesOver, "uncounted", 6],
    ["twoPeople", takesOver, "uncounted", 7],
    ["secondIsRight", takesOver, "uncounted", 8],
    ["vouchedStart", "a machine is lost", "uncounted", 8],
    ["witnessCurrent", "a machine is lost, and a witness is there", "uncounted", 7],
  ];

  test("each rule is one of them", () => {
    expect([...new Set(left.flatMap(([names]) => names.split(" ")))].toSorted()).toEqual(Object.keys(rules).toSorted());
  });

  test.each(left)("%s, in %s: %s after %i steps", (names, name, what, steps) => {
    const without = Object.fromEntries(names.split(" ").map((rule) => [rule, false]));
    const { wrong } = explore(protocol(bounds[name], { ...asItIs, ...without }));
    expect(wrong?.what, wrong?.trace.join("\n")).toBe(what);
    expect(wrong?.trace.length, wrong?.trace.join("\n")).toBe(steps);
  });
});

describe("the model is about this code", () => {
  const all: readonly (readonly [string, Action])[] = Object.entries(actions);

  test.each(all.filter(([, { code }]) => code.length > 0))("%s names functions that are there", (_, { code }) => {
    for (const [file, ...names] of code) {
      const text = readFileSync(join(root, file), "utf8");
      for (const name of names)
        expect(text, `${name} in ${file}`).toMatch(
          new RegExp(`(function\\*?|const|async) ${name}\\b|^ +(async )?\\*?${name}\\(|^ {2}${name}[:,(]`, "m"),
        );
    }
  });

  test("what the world does has no code", () => {
    const without = all.filter(([, { code }]) => code.length === 0).map(([name]) => name);
    expect(without).toEqual(["serverEnds", "databaseEnds", "folderEnds"]);
  });
});
