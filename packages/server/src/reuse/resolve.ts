import { present } from "@dosimeter/core/internal";
import type { Json, NewReuse, NewStatistic } from "@dosimeter/ledger";
import type { Answer } from "@dosimeter/query/answer";
import { boundSteps } from "@dosimeter/query/bind";
import { joinRequest } from "@dosimeter/query/join";
import { type BoundedPlan, type BoundedStatistic, plainPlan } from "@dosimeter/query/plan";
import type { Plan, StatisticRequest } from "@dosimeter/query/statistics";
import {
  answerOf,
  type Diagrams,
  type Earlier,
  type Origin,
  type StatisticSpec,
  toppedUp,
  type Way,
  waysTo,
} from "@dosimeter/reuse";
import { inSlices } from "../measuring/slices.ts";
import { asJson } from "../sources/tables.ts";
import { chosenWay, type ReuseChoice } from "./choice.ts";
import type { Found, Version } from "./find.ts";

/** How a row gets its answer where it is not simply drawn. Stored with the charge, so that a crash changes nothing. */
export interface Resolution {
  readonly row: string;
  readonly kind: Way["kind"];
  readonly from: readonly Origin[];
}

/** A plan that is bound, with the offers of earlier answers to each row. */
export interface Bound {
  readonly about: Version;
  /** With the blocks that it names now, where the population has any. */
  readonly plan: Plan;
  readonly bounded: BoundedPlan;
  readonly found: readonly Found[];
}

/** The rows of a plan that are measured and paid for. */
export interface Drawn {
  readonly plan: Plan;
  readonly bounded: BoundedPlan;
}

/** A plan with every row decided: which come from earlier answers, and what is drawn. */
export interface Resolved {
  readonly resolutions: readonly Resolution[];
  readonly ways: ReadonlyMap<string, Way>;
  /** Null where every row comes from earlier answers. */
  readonly drawn: Drawn | null;
}

export async function resolve(bound: Bound, choice: ReuseChoice): Promise<Resolved> {
  const ways = new Map<string, Way>();
  for (const { asked, ways: all } of bound.found) {
    const way = chosenWay(all, choice, asked.statistic.id);
    if (way !== null) ways.set(asked.statistic.id, way);
  }
  const resolutions = [...ways].map(([row, { kind, from }]) => ({ row, kind, from }));
  return { resolutions, ways, drawn: await drawnOf(bound, ways) };
}

/** The same plan, in which rows that another charge answers are not drawn but wait. */
export async function waitingFor<T extends Bound & Resolved>(decided: T, pending: readonly Resolution[]): Promise<T> {
  const { ways, resolutions } = decided;
  const waits = pending.filter(({ row }) => ways.get(row)?.fresh !== null);
  if (waits.length === 0) return decided;
  const rows = new Set(waits.map(({ row }) => row));
  return {
    ...decided,
    resolutions: [...resolutions.filter(({ row }) => !rows.has(row)), ...waits],
    drawn: await drawnOf(decided, ways, rows),
  };
}

/** What is left to draw, without the rows that wait. All of a plan is bound already; a part of it, with top-ups, is another plan. */
export async function drawnOf(
  { plan, bounded, found, about }: Bound,
  ways: ReadonlyMap<string, Way>,
  waits: ReadonlySet<string> = new Set(),
): Promise<Drawn | null> {
  if (ways.size === 0 && waits.size === 0) return { plan, bounded };
  const ids = found.map(({ asked }) => asked.statistic.id);
  const part = partOf(plan, ids, ways, waits);
  return part === null ? null : { plan: part, bounded: await inSlices(boundSteps(part, about.declaration)) };
}

/** The rows to draw, under their own names, top-ups at the price of the difference; not those that wait. */
function partOf(
  plan: Plan,
  ids: readonly string[],
  ways: ReadonlyMap<string, Way>,
  waits: ReadonlySet<string>,
): Plan | null {
  const statistics = plan.statistics.flatMap((request, index): readonly StatisticRequest[] => {
    const id = ids[index] ?? `s${index + 1}`;
    const way = ways.get(id);
    if (waits.has(id)) return [];
    if (way === undefined) return [{ ...request, id }];
    return way.fresh === null ? [] : [{ ...toppedUp(request, way), id }];
  });
  // The hash of a saved plan is about all of its rows.
  return statistics.length === 0 ? null : { ...(plainPlan(plan) as Plan), statistics };
}

/** The chosen offer, made again from the answers it names; undefined when they no longer give it. */
export function wayAgain(
  asked: StatisticSpec,
  { kind, from }: Resolution,
  earlier: readonly Earlier[],
  diagrams: Diagrams,
): Way | undefined {
  const names = new Set(from.map(({ release, row }) => `${release}/${row}`));
  const sources = earlier.filter(({ origin: { release, row } }) => names.has(`${release}/${row}`));
  return waysTo(asked, sources, diagrams).find((way) => way.kind === kind && way.from.length === from.length);
}

/** The answers of a plan in its own order, drawn or not. */
export function assembled(
  asked: readonly StatisticSpec[],
  ways: ReadonlyMap<string, Way>,
  drawn: readonly Answer[],
): readonly Answer[] {
  const byId = new Map(drawn.map((answer) => [answer.id, answer]));
  return asked.map((one) => {
    const { id } = one.statistic;
    const [way, fresh] = [ways.get(id), byId.get(id)];
    if (way !== undefined) return answerOf(way, one, fresh ?? null);
    if (fresh === undefined) throw new RangeError(`row ${id} was neither drawn nor reused`);
    return fresh;
  });
}

export function indexOf(
  { plan, bounded }: Drawn,
  names: ReadonlyMap<string, { readonly key: string; readonly scope: string }>,
  version: number,
): readonly NewStatistic[] {
  return bounded.statistics.flatMap((statistic, index) => {
    const name = names.get(statistic.id);
    const request = plan.statistics[index];
    if (name === undefined || request === undefined) return [];
    return [
      {
        row: statistic.id,
        version,
        key: name.key,
        scope: name.scope,
        name: statistic.statistic,
        column: statistic.column,
        label: statistic.label,
        request: asJson({
          ...request,
          id: statistic.id,
          ...(statistic.join === undefined ? {} : { join: joinRequest(statistic.join) }),
          ...present({ let: statistic.derived, window: plan.window, horizon: plan.horizon }),
        }) as Json,
      },
    ];
  });
}

/** What the reused rows would have cost, less what top-ups paid. */
export function savedBy(asked: readonly StatisticSpec[], ways: ReadonlyMap<string, Way>): readonly NewReuse[] {
  return asked.flatMap(({ statistic }) => {
    const way = ways.get(statistic.id);
    if (way === undefined) return [];
    const [full, paid] = [priceOf(statistic), way.fresh === null ? null : priceOf(way.fresh.statistic)];
    return [
      {
        row: statistic.id,
        kind: way.kind,
        savedEpsilon: full.epsilon,
        savedMu2: full.mu2 === null ? null : full.mu2 - (paid?.mu2 ?? 0n),
      },
    ];
  });
}

const priceOf = ({ noise }: BoundedStatistic): { epsilon: bigint | null; mu2: bigint | null } =>
  noise.kind === "laplace" ? { epsilon: noise.epsilon, mu2: null } : { epsilon: null, mu2: noise.mu2 };
