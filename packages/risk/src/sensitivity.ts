import { invalid, PrivacyError } from "@dosimeter/core";
import { checkWhole } from "./check.ts";
import { type CoverageBounds, coverageBounds, samplesForMaximum, toleranceOrder } from "./sampled.ts";
import type { Rows, SampledStatistic } from "./statistic.ts";

declare const publicBrand: unique symbol;

/**
 * Records that are public or synthetic. Only `publicRecords` makes them, from plain numbers and a stated origin; what an engine reads
 * from a declared dataset travels as `Exact<T>` and has no way in.
 */
export interface PublicRecords {
  readonly [publicBrand]: true;
  readonly provenance: "public" | "synthetic";
  readonly origin: string;
  readonly rows: Rows;
}

/** Checks and freezes public or synthetic records: at least two, finite numbers, all of one width. Anything private is refused. */
export function publicRecords(options: {
  readonly provenance: string;
  readonly origin: string;
  readonly rows: Rows;
}): PublicRecords {
  const { provenance, origin, rows } = options;
  if (provenance !== "public" && provenance !== "synthetic") {
    throw new PrivacyError("FORBIDDEN", {
      name: "provenance",
      got: provenance,
      want: "public or synthetic: a sensitivity sampled from private rows leaks them",
    });
  }
  if (origin.trim() === "") invalid("origin", origin, "where the records come from");
  const isTable: boolean = Array.isArray(rows);
  if (!isTable) invalid("rows", typeof rows, "an array of plain records");
  if (rows.length < 2) invalid("rows", rows.length, "at least 2 records");
  const width = rows[0]?.length ?? 0;
  rows.forEach((row, index) => {
    if (row.length !== width || width === 0 || !row.every(Number.isFinite)) {
      invalid(`rows[${index}]`, undefined, `${Math.max(width, 1)} finite numbers`);
    }
  });
  return Object.freeze({ provenance, origin, rows }) as PublicRecords;
}

/** Whole numbers below `bound`, each as likely; any generator will do, for nothing private is protected by it. */
export type Pick = (bound: number) => number;

/** A public, repeatable generator (Lehmer's): what it picks protects no one. */
export function repeatablePick(seed: number): Pick {
  let state = 1 + (checkWhole("seed", seed, 0) % 2_147_483_646);
  return (bound) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
}

/**
 * The sampling procedure of section 4: `size` − 1 common records, one more for each of two neighbours, the L1 distance of the answers;
 * yields one distance after another so that a page can show the distribution forming.
 */
export function* sampleDistances(options: SamplingOptions): Generator<number, void, void> {
  for (const difference of sampleDifferences(options)) yield difference.reduce((sum, d) => sum + Math.abs(d), 0);
}

export interface SamplingOptions {
  readonly records: PublicRecords;
  readonly statistic: SampledStatistic;
  /** Records in each of the two neighbours. */
  readonly size: number;
  readonly pairs: number;
  readonly pick: Pick;
}

/** The same, coordinate by coordinate: f(x) − f(y) of each pair. */
export function* sampleDifferences(options: SamplingOptions): Generator<readonly number[], void, void> {
  const { records, statistic, size, pairs, pick } = options;
  checkWhole("size", size);
  checkWhole("pairs", pairs);
  const { rows } = records;
  if ((rows[0]?.length ?? 0) < statistic.columns) {
    invalid("rows", rows[0]?.length, `${statistic.columns} columns or more`);
  }
  const draw = (): readonly number[] => rows[pick(rows.length)] ?? [];
  for (let pair = 0; pair < pairs; pair++) {
    const common = Array.from({ length: size - 1 }, draw);
    const first = statistic.answer([...common, draw()]);
    const second = statistic.answer([...common, draw()]);
    yield first.map((value, i) => value - (second[i] ?? 0));
  }
}

/** What a set of sampled distances says at one level; it covers pairs drawn from the sampled distribution, not the outlier. */
export interface SampledSensitivity extends CoverageBounds {
  /** The order statistic S₍ⱼ₎: the sensitivity that the noise would be calibrated to. */
  readonly sensitivity: number;
  /** The smallest order statistic that covers `level` of all pairs with confidence 1 − failureProbability; undefined: too few pairs. */
  readonly certified: { readonly order: number; readonly sensitivity: number } | undefined;
  /** The fewest pairs from which some order statistic is certified. */
  readonly pairsNeeded: number;
  readonly largest: number;
}

/** Reads distances at `level` with DKW half-width `accuracy`, as published and as true. */
export function readDistances(options: {
  readonly distances: readonly number[];
  readonly level: number;
  readonly accuracy: number;
  readonly failureProbability: number;
}): SampledSensitivity {
  const { distances, level, accuracy, failureProbability } = options;
  const sorted = Float64Array.from(distances).sort();
  const bounds = coverageBounds({ level, samples: sorted.length, accuracy });
  const at = (order: number): number => sorted[order - 1] ?? Number.NaN;
  const order =
    level > 0 && level < 1
      ? toleranceOrder({ samples: sorted.length, coverage: level, failureProbability })
      : undefined;
  return {
    ...bounds,
    sensitivity: at(bounds.orderStatistic),
    certified: order === undefined ? undefined : { order, sensitivity: at(order) },
    pairsNeeded:
      level > 0 && level < 1
        ? samplesForMaximum({ coverage: level, failureProbability })
        : level === 0
          ? 1
          : Number.POSITIVE_INFINITY,
    largest: at(sorted.length),
  };
}
