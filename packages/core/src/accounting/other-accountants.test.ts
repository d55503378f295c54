import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { DpEvent } from "../event.ts";
import type { EventAdjacency } from "../filter/adjacency.ts";
import { largestPower } from "./calibrate.ts";
import { privacyLossDistribution } from "./pld.ts";
import { renyiTotalOf } from "./rdp.ts";
import { totalLoss } from "./report.ts";
import { readSpends } from "./spends.ts";

/** A value that another tool's own tests or documentation expect, with the room that they leave. */
interface TheirValue {
  readonly id: string;
  readonly tool: string;
  readonly file: string;
  readonly ask: "delta" | "epsilon" | "power" | "renyi" | "basic";
  readonly at: number;
  readonly events: readonly DpEvent[];
  readonly adjacency?: EventAdjacency;
  readonly value: number;
  readonly tolerance: number;
  readonly upperOnly?: boolean;
  /** Theirs is an upper bound, and not the least: ours is no larger. */
  readonly looser?: boolean;
}

const { values } = JSON.parse(
  readFileSync(new URL("../../../../test/golden/accountants.json", import.meta.url), "utf8"),
) as { readonly values: readonly TheirValue[] };

/** Our bracket of what was asked: both ends are one where we have an upper bound only. */
function ours({ ask, at, events, adjacency }: TheirValue): { readonly lower: number; readonly upper: number } {
  const both = (upper: number, lower = upper) => ({ upper, lower });
  const options = adjacency === undefined ? {} : { adjacency };
  switch (ask) {
    case "delta": {
      const { delta, lower } = totalLoss(events, { epsilon: at }, "pld", options);
      return both(delta, lower);
    }
    case "epsilon": {
      const { epsilon, lower } = totalLoss(events, { delta: at }, "pld", options);
      return both(epsilon, lower);
    }
    case "basic":
      return both(totalLoss(events, { delta: at }, "basic", options).epsilon);
    case "power":
      return both(largestPower(privacyLossDistribution(events), at));
    case "renyi":
      return both(renyiTotalOf(readSpends(events, adjacency))(at - 1) / (at - 1));
    default:
      throw ask satisfies never;
  }
}

/** Rounding of the shortest decimals of both. */
const ROUNDING = 4e-16;

test.each(values.map((value) => [`${value.tool}: ${value.id}`, value] as const))("%s", (_, their) => {
  const { value, tolerance, upperOnly = false, looser = false } = their;
  const { lower, upper } = ours(their);
  const room = tolerance + ROUNDING * Math.abs(value);
  if (looser) expect(upper).toBeLessThanOrEqual(value);
  else expect(upper).toBeGreaterThanOrEqual(value - room);
  if (!upperOnly) expect(lower).toBeLessThanOrEqual(value + room);
});

test("the table in the docs counts the values of each tool", () => {
  const page = readFileSync(new URL("../../../../docs/trust/how-it-is-tested.md", import.meta.url), "utf8");
  for (const tool of new Set(values.map((value) => value.tool)))
    expect(page).toContain(`| ${tool} | ${values.filter((value) => value.tool === tool).length} |`);
});
