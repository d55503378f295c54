import {
  type ComparisonRow,
  compositionRow,
  publicRecords,
  repeatablePick,
  type SampledStatisticName,
  sampleDistances,
  sampledStatistic,
} from "@dosimeter/risk";

export type RiskTask =
  | {
      readonly kind: "sample";
      readonly provenance: string;
      readonly origin: string;
      readonly rows: readonly (readonly number[])[];
      readonly statistic: SampledStatisticName;
      readonly size: number;
      readonly pairs: number;
      readonly seed: number;
    }
  | { readonly kind: "compose"; readonly epsilon0: number; readonly delta: number; readonly counts: readonly number[] };

/** A partial result: `done` of `total`. */
export type Piece =
  | { readonly kind: "distances"; readonly values: readonly number[]; readonly done: number; readonly total: number }
  | { readonly kind: "row"; readonly value: ComparisonRow; readonly done: number; readonly total: number };

/**
 * Does one task piece by piece; each distance or row is in one piece. `isDue` says when the page gets the next piece.
 * Throws the library's errors.
 */
export function* runTask(task: RiskTask, isDue: () => boolean): Generator<Piece, void, void> {
  if (task.kind === "compose") {
    const { epsilon0, delta, counts } = task;
    for (const [i, count] of counts.entries()) {
      const value = compositionRow({ epsilon0, delta, count });
      yield { kind: "row", value, done: i + 1, total: counts.length };
    }
    return;
  }
  const { pairs, size } = task;
  const records = publicRecords(task);
  const statistic = sampledStatistic(task.statistic);
  let values: number[] = [];
  let done = 0;
  for (const distance of sampleDistances({ records, statistic, size, pairs, pick: repeatablePick(task.seed) })) {
    values.push(distance);
    done += 1;
    if (done < pairs && !isDue()) continue;
    yield { kind: "distances", values, done, total: pairs };
    values = [];
  }
}
