import { type EventAdjacency, formatEpsilon, invalid } from "@dosimeter/core";
import { choiceOf, present } from "@dosimeter/core/internal";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { BoundedStatistic, NoiseFamily } from "../plan/bounded.ts";
import { checkConfidence } from "../plan/confidence.ts";
import { accuracyOf } from "../statistics/accuracy.ts";
import { saidOf } from "../statistics/families.ts";
import { type StatisticName, statisticNames, statisticOf } from "../statistics/registry.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { leastUnits } from "./quote.ts";

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };
type Shared =
  | ("epsilon" | "rho" | "lower" | "upper" | "granularity" | "unitLower" | "unitUpper" | "quantiles" | "k")
  | ("keys" | "keyShare" | "delta" | "atLeast" | "valuesPerUnit");

/**
 * One statistic without a table: the input of `dosimeter calc accuracy` and `epsilonFor`. `keys` needs `delta`; `k` is of that many
 * declared `values`, of selected ones when absent.
 */
export interface CalculusRequest extends Loose<Pick<StatisticRequest, Shared>> {
  readonly statistic: StatisticName;
  readonly noise?: NoiseFamily | undefined;
  /** Probability that an answer is further off; 0.05 when absent. */
  readonly failureProbability?: number | undefined;
  /** Number of rows: assumed, or public under replace-one. */
  readonly n?: number | undefined;
  readonly adjacency?: EventAdjacency | undefined;
  /** Rows that one privacy unit may contribute; 1 when absent. */
  readonly rows?: number | undefined;
  readonly groups?: number | undefined;
  /** Histogram of numbers: the number of bins; cumulative counts: the largest number of steps. */
  readonly bins?: number | undefined;
  readonly values?: number | undefined;
  /** Covariance, correlation, regression: bounds of the other columns; one like the first when absent. */
  readonly others?: readonly { readonly lower: number; readonly upper: number }[] | undefined;
}

/** Fields of a request that this one names in another way, or has no table for. */
type NotPassedOn =
  | (
      | "id"
      | "statistic"
      | "column"
      | "with"
      | "groupBy"
      | "keysFrom"
      | "where"
      | "weights"
      | "impossible"
      | "tables"
      | "numbers"
    )
  | ("lower" | "upper" | "granularity" | "noise" | "epsilon" | "rho");

const PASSED_ON = Object.keys({
  quantiles: 1,
  unitLower: 1,
  unitUpper: 1,
  bins: 1,
  keys: 1,
  keyShare: 1,
  delta: 1,
  atLeast: 1,
  k: 1,
  valuesPerUnit: 1,
} as const satisfies Record<Exclude<keyof StatisticRequest, NotPassedOn>, 1>) as readonly Exclude<
  keyof StatisticRequest,
  NotPassedOn
>[];

const DEFAULT_FAILURE = 0.05;

/**
 * Half-width within which each answer stays with probability 1 − failureProbability, in the answer's unit [M85, M87].
 */
export function accuracy(request: CalculusRequest): number {
  const { statistic, failureProbability } = bounded(request, {});
  const half = accuracyOf(statistic, failureProbability, request.n ?? null);
  return half ?? invalid("n", undefined, "the number of protected units to assume");
}

/**
 * The least price at which each answer is within ± `accuracy`: {epsilon} for Laplace noise, {rho} for Gaussian, exact
 * decimals rounded up to 10⁻¹². `accuracy` at this price never exceeds the requested one.
 */
export function epsilonFor(
  request: CalculusRequest & { readonly accuracy: number },
): { epsilon: string } | { rho: string } {
  const gaussian = request.noise === "gaussian";
  const { statistic, failureProbability } = bounded(request, gaussian ? { rho: 1 } : { epsilon: 1 });
  const units = leastUnits(statistic, request.accuracy, failureProbability, request.n ?? null);
  return gaussian ? { rho: formatEpsilon(units / 2n) } : { epsilon: formatEpsilon(units) };
}

function bounded(
  { statistic: name, failureProbability = DEFAULT_FAILURE, ...request }: CalculusRequest,
  price: { readonly epsilon?: number; readonly rho?: number },
): { readonly statistic: BoundedStatistic; readonly failureProbability: number } {
  if (!statisticNames.includes(name)) invalid("statistic", name, choiceOf(name, statisticNames, saidOf));
  if (typeof failureProbability !== "number" || !(failureProbability > 0 && failureProbability < 1))
    invalid("failureProbability", failureProbability, "between 0 and 1, both excluded");
  checkConfidence(1 - failureProbability);
  const { adjacency = "addRemove", rows = 1, groups = 1, n, lower, upper, granularity } = request;
  const { column: reads, takes, declaredKeys, unitColumn } = statisticOf(name);
  const isBinned = reads === "binned" && takes.includes("bins");
  const needsBounds = reads === "numeric" || (isBinned && request.bins !== undefined);
  const column =
    reads === "key"
      ? declaredKeys === true && request.values !== undefined
        ? "key"
        : "word"
      : isBinned && !needsBounds
        ? "flag"
        : reads === "any"
          ? "word"
          : "value";
  const others = statisticOf(name).others === undefined ? [] : (request.others ?? [{ lower, upper }]);
  const named = others.map((bounds, index) => [`other${index + 1}`, { type: "number", ...bounds }] as const);
  const isRow = rows === 1 && unitColumn !== true;
  const declaration = checkDeclaration({
    name: "calc",
    source: { csv: "calc" },
    privacyUnit: isRow ? "row" : { column: "unit" },
    adjacency,
    contribution: isRow ? undefined : { rows },
    ...(n === undefined ? {} : { size: adjacency === "replace" ? { public: n } : { assumed: n } }),
    columns: {
      unit: { type: "text" },
      flag: { type: "boolean" },
      word: { type: "text" },
      ...Object.fromEntries(named),
      key: { type: "integer", lower: 1, upper: Math.max(2, request.values ?? 2) },
      group: { type: "integer", lower: 1, upper: Math.max(2, groups) },
      value: needsBounds
        ? { type: "number", lower, upper, granularity, required: adjacency === "replace" }
        : { type: "number" },
    },
  });
  const plan = {
    statistics: [
      {
        statistic: name,
        ...Object.fromEntries(PASSED_ON.flatMap((key) => (request[key] === undefined ? [] : [[key, request[key]]]))),
        ...(reads === "none" || reads === "present" ? {} : { column }),
        ...(named.length === 0 ? {} : { with: named.map(([other]) => other) }),
        ...(request.keys !== undefined ? { groupBy: ["word"] } : groups === 1 ? {} : { groupBy: ["group"] }),
        ...present({ noise: request.noise }),
        ...(price.epsilon === undefined && price.rho === undefined
          ? {
              ...present({ epsilon: request.epsilon, rho: request.rho }),
            }
          : price),
      },
    ],
  };
  const [statistic] = boundPlan(plan, declaration).statistics;
  if (statistic === undefined) return invalid("statistic", name, "one statistic");
  return { statistic, failureProbability };
}
