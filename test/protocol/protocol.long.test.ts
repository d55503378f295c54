import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Explored, explore } from "./explore.kit.ts";
import { type Action, actions, type Bounds, protocol, type Rule, type Rules, rules } from "./protocol.kit.ts";

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
