import { formatRational, invalid, parseRational } from "@dosimeter/core";
import type { Declaration } from "../declaration/declaration.ts";
import { entries, own, record } from "../input/check.ts";
import type { BoundedPlan, BoundedStatistic, DecimalInput, Sampling } from "../plan/bounded.ts";
import { inTheWhole, SAMPLE_BITS, shareOf } from "../plan/sample-share.ts";
import { isChosen } from "../plan/task-kinds.ts";
import type { AnswerCell } from "./cell.ts";
import { definitionOf } from "./registry.ts";

/** Refuses what no sample earns: another adjacency, a size without a public number of rows. */
export function samplingOf(request: unknown, declaration: Declaration): Sampling {
  const given = record(request, "sample");
  entries(given, "sample", ["rate", "size"]);
  const [rate, size] = [own(given, "rate"), own(given, "size")];
  if ((rate === undefined) === (size === undefined)) return invalid("sample", request, "either {rate} or {size}");
  if (rate !== undefined) {
    if (declaration.adjacency !== "addRemove")
      invalid("sample.rate", rate, 'absent: a sample by chance is for adjacency "addRemove"; use sample.size');
    const exact = parseRational(rate as DecimalInput, "sample.rate");
    if (exact.numerator <= 0n || exact.numerator >= exact.denominator)
      return invalid("sample.rate", rate, "between 0 and 1, both excluded");
    const below = (exact.numerator << BigInt(SAMPLE_BITS)) / exact.denominator;
    if (below === 0n) invalid("sample.rate", rate, "at least 2^-60");
    return { kind: "poisson", rate: exact, below };
  }
  const population = declaration.size !== undefined && "public" in declaration.size ? declaration.size.public : null;
  if (declaration.adjacency !== "replace" || declaration.privacyUnit !== "row" || population === null)
    return invalid(
      "sample.size",
      size,
      "absent: a fixed size needs unit row and a public number of rows; use sample.rate",
    );
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 1 || size >= population)
    return invalid("sample.size", size, `a whole number from 1 below ${population}`);
  return { kind: "fixed", size, population };
}

/** The declaration as the rows of a sample have it: a fixed size is a public number of rows. */
export const sampledDeclaration = (declaration: Declaration, sampling: Sampling | null): Declaration =>
  sampling?.kind === "fixed" ? { ...declaration, size: { public: sampling.size } } : declaration;

/** The statistic on a sample: its events say so, once for all of them [M128]. */
export function onSample(statistic: BoundedStatistic, sampling: Sampling | null): BoundedStatistic {
  if (sampling === null) return statistic;
  const { events, keys, path } = statistic;
  const { sample } = definitionOf(statistic);
  if (typeof sample !== "string")
    invalid(`${path}.statistic`, statistic.statistic, `in a plan without a sample: ${sample.silent}`);
  if (keys !== undefined)
    invalid(
      `${path}.${statistic.groupBy.length > 0 && keys.counts === false ? "keys" : "column"}`,
      keys.column,
      "in a plan without a sample: it would hide more of the values that are not declared, for the same price",
    );
  const [first] = events;
  const event = events.length === 1 && first !== undefined ? first : ({ kind: "composed", events } as const);
  const sampled =
    sampling.kind === "poisson"
      ? ({ kind: "poissonSampled", rate: formatRational(sampling.rate), event } as const)
      : ({ kind: "sampledWithoutReplacement", size: sampling.size, population: sampling.population, event } as const);
  return { ...statistic, sampling, events: [sampled] };
}

export const rowsInSample = ({ sampling }: BoundedStatistic, rows: number | null): number | null =>
  rows === null || sampling === undefined ? rows : rows * shareOf(sampling);

/** What an answer on the sample is multiplied by to stand for the whole table; places among the most frequent stay. */
export const growth = (statistic: BoundedStatistic): number =>
  definitionOf(statistic).sample !== "grows" || isChosen(statistic) ? 1 : inTheWhole(statistic);

/** Cells scaled to the whole table; their noisy integers stay those of the sample. */
export function forTheWhole(statistic: BoundedStatistic, cells: readonly AnswerCell[]): readonly AnswerCell[] {
  const { sampling } = statistic;
  if (sampling === undefined) return cells;
  const [factor, all] = [growth(statistic), inTheWhole(statistic)];
  const scaled = ([from, to]: readonly [number, number], by: number): readonly [number, number] => [from * by, to * by];
  return cells.map((cell) => ({
    ...cell,
    value: cell.value * factor,
    interval: scaled(cell.interval, factor),
    ...(cell.rank === undefined ? {} : { rank: Math.ceil(cell.rank * all) }),
    ...(cell.rows === undefined
      ? {}
      : { rows: { value: cell.rows.value * all, interval: scaled(cell.rows.interval, all) } }),
  }));
}

export const SAMPLE_NOTE =
  "Measured on a secret sample drawn for this answer alone; the interval covers the noise, not which rows the sample happened to hold.";

/** The number of rows that a plan with a sample of fixed size relies on; null without one. A database's table may have changed. */
export const populationOf = ({ statistics }: Pick<BoundedPlan, "statistics">): number | null =>
  statistics.map(({ sampling }) => (sampling?.kind === "fixed" ? sampling.population : null)).find((n) => n !== null) ??
  null;
