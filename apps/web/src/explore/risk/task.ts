import type { ComparisonRow, SampledStatisticName } from "@dosimeter/risk";

/** What the worker can be asked to do. */
export type Task =
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

/** What it says meanwhile; `done` of `total`. */
export type Piece =
  | { readonly kind: "distances"; readonly values: readonly number[]; readonly done: number; readonly total: number }
  | { readonly kind: "row"; readonly value: ComparisonRow; readonly done: number; readonly total: number }
  | { readonly kind: "end" }
  | { readonly kind: "fault"; readonly message: string };

/** Does one task, piece by piece; `isDue` says when the page should hear of it again. */
export type Run = (task: Task, isDue: () => boolean) => Generator<Piece, void, void>;
