import {
  type DeltaAmount,
  type DpEvent,
  deltaAmount,
  type EpsilonAmount,
  type EventAdjacency,
  formatDelta,
  formatEpsilon,
  invalid,
  type Mu2Amount,
  PrivacyError,
  parseRational,
  type Rational,
  rational,
} from "@dosimeter/core";
import { NO_DELTA } from "@dosimeter/core/internal";
import type { Declaration } from "../declaration/declaration.ts";
import { mostValuesOf } from "../declaration/most.ts";
import { declaredColumn } from "../declaration/predicate.ts";
import { type Fields, own, text } from "../input/check.ts";
import { bestRule, gaussianRule, gaussianSigma } from "../noise/key-selection.ts";
import { eventOf } from "../noise/noise.ts";
import { noiseAt } from "../noise/noise-at.ts";
import type {
  BoundedStatistic,
  Contribution,
  KeyRule,
  KeySelection,
  NoiseFamily,
  Sensitivity,
} from "../plan/bounded.ts";
import { keysOf } from "../plan/groups.ts";

/** A row's settings for undeclared groups, before it has a price. */
export type KeyTerms = Omit<KeySelection, "rule" | "units" | "family">;

const DEFAULT_SHARE = { numerator: 1n, denominator: 4n };
const KEY_FIELDS = ["delta", "keyShare", "atLeast"] as const;

/** Reads `keys`, `keysFrom`, `delta`, `keyShare`, `atLeast`; null where the groups are declared. */
export function keyTermsOf(
  given: Fields,
  {
    columns,
    counts,
    label,
    path,
  }: { readonly columns: readonly string[]; readonly counts: boolean; readonly label: string; readonly path: string },
  contribution: Contribution,
  declaration: Declaration,
): KeyTerms | null {
  const keys = own(given, "keys");
  const source = own(given, "keysFrom");
  const selects = counts || keys !== undefined;
  if (keys !== undefined && keys !== "select") invalid(`${path}.keys`, keys, '"select", or absent for declared groups');
  if (selects && source !== undefined) invalid(`${path}.keysFrom`, source, "absent: this row selects its groups");
  if (!selects)
    for (const field of KEY_FIELDS)
      if (given[field] !== undefined)
        invalid(`${path}.${field}`, given[field], `absent: the ${label} selects no groups`);
  if (!selects && source === undefined) return null;
  const [column, ...others] = columns;
  if (column === undefined || others.length > 0)
    return invalid(
      `${path}.groupBy`,
      columns,
      "one column, whose values are to be found: groups of several columns are declared ones",
    );
  const declared = declaredColumn(column, declaration, `${path}.groupBy[0]`);
  if (declared.type === "number")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: `${path}.groupBy[0]`,
      got: column,
      want: "a text, category, boolean or integer column: numbers have no values that people share",
    });
  const atLeast = own(given, "atLeast") ?? 1;
  if (typeof atLeast !== "number" || !Number.isSafeInteger(atLeast) || atLeast < 1)
    return invalid(`${path}.atLeast`, atLeast, "a whole number >= 1");
  const among = declared.type === "text" || declared.type === "integer" ? declared.type : keysOf(declared, path);
  return {
    column,
    among,
    most: typeof among === "string" ? mostValuesOf(column, declaration) : among.length,
    unit: declaration.privacyUnit === "row" ? "row" : "column",
    from: source === undefined ? null : text(source, `${path}.keysFrom`, 80),
    changes: changesOf(contribution, declaration.adjacency),
    atLeast,
    delta: selects ? readDelta(given, path) : NO_DELTA,
    share: counts ? rational(1n) : readShare(given, path),
    counts,
  };
}

/** A unit's kept rows lie in at most this many groups; replaced, it leaves some and enters others. */
function changesOf({ bound, rows }: Contribution, adjacency: EventAdjacency): number {
  const groups = Math.min(bound.groups ?? rows, rows);
  return adjacency === "replace" ? 2 * groups : groups;
}

function readDelta(given: Fields, path: string): DeltaAmount {
  const value = own(given, "delta");
  if (typeof value !== "number" && typeof value !== "string")
    return invalid(
      `${path}.delta`,
      value,
      "a decimal > 0: selecting groups always has a small chance to reveal a rare one",
    );
  const delta = deltaAmount(value, "down", `${path}.delta`);
  if (delta < 2n || delta > 10n ** 17n) return invalid(`${path}.delta`, value, "between 0.000000000000000002 and 0.1");
  return delta;
}

function readShare(given: Fields, path: string): Rational {
  const value = own(given, "keyShare");
  if (value === undefined) return DEFAULT_SHARE;
  const share = parseRational(value, `${path}.keyShare`);
  if (share.numerator <= 0n || share.numerator >= share.denominator)
    return invalid(`${path}.keyShare`, value, "between 0 and 1, both excluded");
  return share;
}

type Priced = Pick<BoundedStatistic, "noise" | "keys" | "events">;

/**
 * Splits a price between the groups and their answers [M114]; null where it is too small to select any. The events are
 * `approximate{ε, δ}` for the groups, or their Gaussian noise and `approximate{0, δ}`, and those of the answers.
 */
export function pricedKeys(
  terms: KeyTerms,
  family: NoiseFamily,
  units: bigint,
  sensitivity: Sensitivity,
): Priced | null {
  if (terms.from !== null) {
    const noise = noiseAt(family, units, sensitivity);
    const keys: KeySelection = { ...terms, from: terms.from, family, units, rule: null };
    return { noise, keys, events: [eventOf(noise, sensitivity, Number.POSITIVE_INFINITY)] };
  }
  const forKeys = terms.counts ? units : (units * terms.share.numerator) / terms.share.denominator;
  const forAnswers = units - forKeys;
  if (forKeys < 1n || (!terms.counts && forAnswers < 1n)) return null;
  const rule = ruleOf(terms, family, forKeys);
  if (rule === null) return null;
  const keys: KeySelection = { ...terms, from: null, family, units, rule };
  const selection = eventsOfKeys(terms, family, forKeys);
  if (!terms.counts) {
    const noise = noiseAt(family, forAnswers, sensitivity);
    return { noise, keys, events: [...selection, eventOf(noise, sensitivity, Number.POSITIVE_INFINITY)] };
  }
  const noise =
    rule.kind === "truncated"
      ? ({ kind: "laplace", epsilon: units as EpsilonAmount, scale: rule.scale } as const)
      : ({ kind: "gaussian", mu2: units as Mu2Amount, sigma: rule.sigma } as const);
  return { noise, keys, events: selection };
}

function ruleOf({ delta, changes }: KeyTerms, family: NoiseFamily, units: bigint): KeyRule | null {
  return family === "laplace"
    ? bestRule(units as EpsilonAmount, delta, changes)
    : gaussianRule(gaussianSigma(units as Mu2Amount, changes), delta, changes);
}

function eventsOfKeys({ delta, changes }: KeyTerms, family: NoiseFamily, units: bigint): readonly DpEvent[] {
  const text = formatDelta(delta);
  if (family === "laplace") return [{ kind: "approximate", epsilon: formatEpsilon(units), delta: text }];
  const count = BigInt(changes);
  const sensitivity = { l1: count, l2Squared: count, linf: 1n };
  return [
    eventOf(noiseAt(family, units, sensitivity), sensitivity, Number.POSITIVE_INFINITY),
    { kind: "approximate", epsilon: "0", delta: text },
  ];
}

/** Groups come from an earlier row that selects those of the same column. */
export function checkSources(statistics: readonly Pick<BoundedStatistic, "id" | "path" | "keys">[]): void {
  for (const [index, { path, keys }] of statistics.entries()) {
    if (keys === undefined || keys.from === null) continue;
    const source = statistics.slice(0, index).find(({ id }) => id === keys.from);
    if (source?.keys?.column !== keys.column || source.keys.from !== null)
      invalid(`${path}.keysFrom`, keys.from, `the id of an earlier row that selects values of ${keys.column}`);
  }
}
