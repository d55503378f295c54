import type { Answer } from "@dosimeter/query/answer";
import { type Form, formOf } from "@dosimeter/query/noise";
import type { BoundedStatistic } from "@dosimeter/query/plan";
import { definitionOf, type ViewName } from "@dosimeter/query/statistics";
import { viewsOf } from "./views.ts";

export interface Origin {
  readonly release: string;
  readonly row: string;
}

/** An earlier answer as it was drawn: its integers, cell by cell, with their noise. */
export interface Earlier {
  readonly origin: Origin;
  readonly statistic: BoundedStatistic;
  /** The canonical key of the statistic. */
  readonly key: string;
  readonly noisy: readonly (readonly bigint[])[];
  /** As it was stored. */
  readonly answer: Answer;
}

/** An answer of a release as a source: the integers drawn for it, before any combination with others. */
export function earlierOf(origin: Origin, statistic: BoundedStatistic, key: string, answer: Answer): Earlier {
  const cells = answer.raw ?? answer.cells;
  return { origin, statistic, key, answer, noisy: cells.map(({ noisy }) => noisy.map(BigInt)) };
}

/** Several draws of one statistic as one answer, each cell's integers weighted by their precision. */
export interface Pool {
  readonly statistic: BoundedStatistic;
  readonly draws: readonly { readonly source: Earlier; readonly weight: number }[];
}

export const poolOf = (source: Earlier): Pool => ({ statistic: source.statistic, draws: [{ source, weight: 1 }] });

export const originText = ({ release, row }: Origin): string => `${release}/${row}`;

/** The forms of each cell that a pool offers, or null where the statistic has no such view. */
export function cellForms(pool: Pool, view: ViewName): readonly Form[] | null {
  const found = viewsOf(pool.statistic)[view];
  if (found === undefined) return null;
  const cells = pool.draws[0]?.source.noisy.length ?? 0;
  const width = definitionOf(pool.statistic).width(pool.statistic.task);
  return Array.from({ length: cells }, (_, cell) => ({
    offset: found.offset,
    terms: pool.draws.flatMap(
      ({ source, weight }) =>
        formOf(
          originText(source.origin),
          source.statistic.noise,
          (source.noisy[cell] ?? []).map((value, i) => ({
            at: cell * width + i,
            weight: weight * (found.weights[i] ?? 0),
            value,
          })),
        ).terms,
    ),
  }));
}
