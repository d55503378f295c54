import type { EventAdjacency } from "@dosimeter/core";
import type { ContributionBound } from "../declaration/declaration.ts";
import type { Contribution, Sensitivity } from "./bounded.ts";

const least = (...bounds: (number | undefined)[]): number | null => {
  const given = bounds.filter((bound) => bound !== undefined);
  return given.length === 0 ? null : Math.min(...given);
};

/** What SQL enforces on the rows of one unit, with `groups` declared groups; K = min(C, L0·L∞) [M80]. */
export function rowContribution(bound: ContributionBound, unit: "row" | "column", groups: number): Contribution {
  if (unit === "row") return { rows: 1, bound: { rows: null, groups: null, rowsPerGroup: null } };
  const mostGroups = least(bound.groups, groups) ?? groups;
  const perGroup = least(bound.rowsPerGroup, bound.rows);
  const rows = least(bound.rows, perGroup === null ? undefined : mostGroups * perGroup);
  if (rows === null) throw new RangeError("a checked declaration bounds the rows of a unit");
  return {
    rows,
    bound: {
      rows:
        bound.rows !== undefined && bound.rows < mostGroups * (bound.rowsPerGroup ?? Number.POSITIVE_INFINITY)
          ? bound.rows
          : null,
      groups: bound.groups !== undefined && bound.groups < groups ? bound.groups : null,
      rowsPerGroup: bound.rowsPerGroup ?? null,
    },
  };
}

/** A unit counted at most once in each of at most min(L0, C) groups: rows need no bound [M82]. */
export function unitContribution(bound: ContributionBound, unit: "row" | "column", groups: number): Contribution {
  if (unit === "row") return { rows: 1, bound: { rows: null, groups: null, rowsPerGroup: null } };
  const most = least(bound.groups, bound.rows, groups) ?? groups;
  return { rows: most, bound: { rows: null, groups: most < groups ? most : null, rowsPerGroup: 1 } };
}

export interface RowVector {
  /** Least and largest value of one integer of a row; a row's integers have absolute sum at most max(|least|, |largest|). */
  readonly least: bigint;
  readonly largest: bigint;
  /** Norms of one row where they are not those of a single integer or of integers with that absolute sum [M119, M120]. */
  readonly norms?: { readonly l1: bigint; readonly l2Squared: bigint; readonly linf: bigint };
  /** Whether all rows add to one and the same integer: one group, one integer. */
  readonly scalar: boolean;
  /** Whether every unit has exactly one row in every table: replaced, its integer moves within [least, largest]. */
  readonly fixed: boolean;
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Δ1, Δ2², Δ∞ of a sum of row vectors, each non-zero in one group only [M81]. Under replace-one the change is that of one
 * unit leaving and another arriving; non-negative vectors cannot cancel, so Δ2 grows by √2 and Δ∞ not at all; a scalar
 * moves within [K·min(least, 0), K·max(largest, 0)].
 */
export function vectorSensitivity(row: RowVector, contribution: Contribution, adjacency: EventAdjacency): Sensitivity {
  const rows = BigInt(contribution.rows);
  const perGroup = min(BigInt(contribution.bound.rowsPerGroup ?? contribution.rows), rows);
  const full = rows / perGroup;
  const rest = rows - full * perGroup;
  const size = max(max(row.largest, -row.largest), max(row.least, -row.least));
  const { l1, l2Squared, linf } = row.norms ?? { l1: size, l2Squared: size * size, linf: size };
  const one = {
    l1: l1 * rows,
    l2Squared: l2Squared * (full * perGroup * perGroup + rest * rest),
    linf: linf * perGroup,
  };
  if (adjacency === "addRemove") return one;
  const span = row.fixed ? row.largest - row.least : max(row.largest, 0n) - min(row.least, 0n);
  if (row.scalar) return { l1: span * rows, l2Squared: (span * rows) ** 2n, linf: span * rows };
  const oneSign = row.least >= 0n || row.largest <= 0n;
  return { l1: 2n * one.l1, l2Squared: (oneSign ? 2n : 4n) * one.l2Squared, linf: span * perGroup };
}
