import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Explored, explore } from "./explore.kit.ts";
import { type Action, actions, type Bounds, protocol, type Rules, rules } from "./protocol.kit.ts";

const root = join(import.meta.dirname, "../..");

const asItIs = Object.fromEntries(Object.keys(rules).map((rule) => [rule, true])) as Rules;
const NONE = { crashes: 0, copies: 0, folders: 0 };

/** What is explored to its end: every order of every action within these bounds. */
const bounds = {
  "two servers and crashes": {
    ...{ servers: 2, keys: ["x", "x", "y"], lifetime: 2, hasWitness: false },
    left: { ...NONE, crashes: 2 },
  },
  "an older database takes over from two servers": {
    ...{ servers: 2, keys: ["x", "y"], lifetime: 2, hasWitness: false },
    left: { ...NONE, copies: 1 },
  },
  "a machine is lost, and a witness is there": {
    ...{ servers: 1, keys: ["x", "y"], lifetime: 2, hasWitness: true },
    left: { crashes: 1, copies: 1, folders: 1 },
  },
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
  const left: readonly (readonly [string, Bounded, string, number])[] = [
    ["chargesInside", "two servers and crashes", "over the lifetime", 0],
    ["keysOnce", "two servers and crashes", "charged twice", 0],
    ["durable", "two servers and crashes", "lost", 0],
    ["storesFirst", "two servers and crashes", "answered twice", 0],
    ["keepsStored ownsLease", "two servers and crashes", "lost", 0],
    ["takesOthers", "two servers and crashes", "never answered", 0],
    ["ownsLease", "an older database takes over from two servers", "answered twice", 0],
    ["losesPending", "an older database takes over from two servers", "answered twice", 0],
    ["fencesCopy", "an older database takes over from two servers", "answered twice", 0],
    ["comparesCopy", "an older database takes over from two servers", "uncounted", 0],
    ["writesOff", "an older database takes over from two servers", "uncounted", 0],
    ["twoPeople", "an older database takes over from two servers", "uncounted", 0],
    ["secondIsRight", "an older database takes over from two servers", "uncounted", 0],
    ["vouchedStart", "a machine is lost, and a witness is there", "uncounted", 0],
    ["witnessCurrent", "a machine is lost, and a witness is there", "uncounted", 0],
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
