import { invalid, PrivacyError } from "@dosimeter/core";
import { type CostModel, type CostOptimum, costOptimum, exponentialCost, variablePart } from "./cost.ts";

type Range = readonly [number, number];

/** Intervals for what the cost model takes; those left out stay as they are. */
export interface UncertainInputs {
  readonly rate?: Range;
  readonly compensation?: Range;
  readonly people?: Range;
  readonly epsilon0?: Range;
}

/** How far one input alone moves the least expected compensation. */
export interface TornadoRow {
  readonly input: keyof UncertainInputs;
  readonly values: Range;
  readonly optima: readonly [CostOptimum, CostOptimum];
  /** |cost at one end − cost at the other|. */
  readonly swing: number;
}

type RatedModel = Omit<CostModel, "cost"> & { readonly rate?: number };

const optimumOf = ({ rate = 1, ...model }: RatedModel): CostOptimum =>
  costOptimum({ ...model, cost: exponentialCost(rate) });

/** One row an uncertain input, the widest swing first: every other input stays at its own value. Cost e^(−rate/ε). */
export function costTornado(model: RatedModel & { readonly uncertain: UncertainInputs }): readonly TornadoRow[] {
  const { uncertain, ...base } = model;
  const inputs = Object.keys(uncertain) as (keyof UncertainInputs)[];
  return inputs
    .flatMap((input): TornadoRow[] => {
      const values = uncertain[input];
      if (values === undefined) return [];
      if (!(values[0] <= values[1])) invalid(input, values, "[least, most]");
      const [low, high] = values.map((value) => optimumOf({ ...base, [input]: value }));
      if (low === undefined || high === undefined) throw new PrivacyError("INTERNAL");
      return [{ input, values, optima: [low, high], swing: Math.abs(high.cost - low.cost) }];
    })
    .sort((a, b) => b.swing - a.swing);
}

/** Least, likeliest and most: a triangular distribution. */
export type Triangle = readonly [number, number, number];

const PARTS = 60;

/** Quantiles of the least expected compensation, of its ε* and of the saving, for independent triangular rate and compensation. */
export function costQuantiles(
  model: Omit<CostModel, "cost" | "compensation"> & {
    readonly rate: Triangle;
    readonly compensation: Triangle;
    readonly levels?: readonly number[];
  },
): readonly {
  readonly level: number;
  readonly epsilon: number;
  readonly cost: number;
  readonly dpCost: number;
  readonly saving: number;
}[] {
  const { rate, compensation, levels = [0.05, 0.25, 0.5, 0.75, 0.95], ...base } = model;
  const middles = Array.from({ length: PARTS }, (_, i) => (i + 0.5) / PARTS);
  const amounts = middles.map((p) => triangleQuantile("compensation", compensation, p));
  // ε* does not depend on the compensation, so each rate is solved once, for a compensation of 1.
  const { bias = 0, people = 1, form } = base;
  const cells = middles.flatMap((p) => {
    const { bias: _, ...rest } = base;
    const unit = optimumOf({ ...rest, people: 1, rate: triangleQuantile("rate", rate, p) });
    return amounts.map((amount) => {
      const money = (share: number): number => people * (bias + variablePart(form, amount, bias) * share);
      const [cost, dpCost] = [money(unit.cost), money(unit.dpCost)];
      return { epsilon: unit.epsilon, cost, dpCost, saving: dpCost - cost };
    });
  });
  if (!(bias <= compensation[0])) invalid("bias", bias, "at most the least compensation");
  const sorted = (key: "epsilon" | "cost" | "dpCost" | "saving"): Float64Array =>
    Float64Array.from(cells, (cell) => cell[key]).sort();
  const columns = {
    epsilon: sorted("epsilon"),
    cost: sorted("cost"),
    dpCost: sorted("dpCost"),
    saving: sorted("saving"),
  };
  return levels.map((level) => {
    if (!(level > 0 && level < 1)) invalid("levels", level, "between 0 and 1");
    const at = (values: Float64Array): number =>
      values[Math.min(values.length - 1, Math.floor(level * values.length))] ?? 0;
    return {
      level,
      epsilon: at(columns.epsilon),
      cost: at(columns.cost),
      dpCost: at(columns.dpCost),
      saving: at(columns.saving),
    };
  });
}

function triangleQuantile(name: string, [least, likely, most]: Triangle, p: number): number {
  if (!(least > 0 && least <= likely && likely <= most && most < Number.POSITIVE_INFINITY)) {
    invalid(name, [least, likely, most], "least, likeliest and most, in this order and above 0");
  }
  if (most === least) return least;
  const bend = (likely - least) / (most - least);
  return p < bend
    ? least + Math.sqrt(p * (most - least) * (likely - least))
    : most - Math.sqrt((1 - p) * (most - least) * (most - likely));
}
