import type { Json, NewReuse, NewStatistic } from "@dosimeter/ledger";
import type { Answer, BoundedStatistic, Origin, Plan, StatisticRequest, Way } from "@dosimeter/query";
import {
  answerOf,
  type BoundedPlan,
  boundSteps,
  type Diagrams,
  type Earlier,
  joinRequest,
  plainPlan,
  type StatisticSpec,
  toppedUp,
  waysTo,
} from "@dosimeter/query";
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

/** A plan with every row decided: which come from earlier answers, and the plan of what is drawn. */
export interface Resolved {
  readonly resolutions: readonly Resolution[];
  readonly ways: ReadonlyMap<string, Way>;
  /** The plan that is measured and paid; null when nothing is. */
  readonly fresh: BoundedPlan | null;
  readonly freshPlan: Plan | null;
}

export async function resolve(
  plan: Plan,
  found: readonly Found[],
  { choice, about }: { choice: ReuseChoice; about: Version },
): Promise<Resolved> {
  const ways = new Map<string, Way>();
  for (const { asked, ways: all } of found) {
    const way = chosenWay(all, choice, asked.statistic.id);
    if (way !== null) ways.set(asked.statistic.id, way);
  }
  const freshPlan = freshOf(
    plan,
    found.map(({ asked }) => asked.statistic.id),
    ways,
  );
  return {
    resolutions: [...ways].map(([row, { kind, from }]) => ({ row, kind, from })),
    ways,
    freshPlan,
    fresh: freshPlan === null ? null : await inSlices(boundSteps(freshPlan, about.declaration)),
  };
}

/** The same plan, in which rows that another charge answers are not drawn but wait. */
export async function waitingFor(
  { plan, found, resolved, about }: { plan: Plan; found: readonly Found[]; resolved: Resolved; about: Version },
  pending: readonly Resolution[],
): Promise<Resolved> {
  const waits = pending.filter(({ row }) => resolved.ways.get(row)?.fresh !== null);
  if (waits.length === 0) return resolved;
  const rows = new Set(waits.map(({ row }) => row));
  const ids = found.map(({ asked }) => asked.statistic.id);
  const freshPlan = freshOf(plan, ids, resolved.ways, rows);
  return {
    resolutions: [...resolved.resolutions.filter(({ row }) => !rows.has(row)), ...waits],
    ways: resolved.ways,
    freshPlan,
    fresh: freshPlan === null ? null : await inSlices(boundSteps(freshPlan, about.declaration)),
  };
}

/** The rows to draw, under their own names, top-ups at the price of the difference; not those that wait. */
export function freshOf(
  plan: Plan,
  ids: readonly string[],
  ways: ReadonlyMap<string, Way>,
  waits: ReadonlySet<string> = new Set(),
): Plan | null {
  if (ways.size === 0 && waits.size === 0) return plan;
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

/** The index entries of the drawn rows. */
export function indexOf(
  freshPlan: Plan,
  fresh: BoundedPlan,
  names: ReadonlyMap<string, { readonly key: string; readonly scope: string }>,
  version: number,
): readonly NewStatistic[] {
  return fresh.statistics.flatMap((statistic, index) => {
    const name = names.get(statistic.id);
    const request = freshPlan.statistics[index];
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
          ...(statistic.derived === undefined ? {} : { let: statistic.derived }),
          ...(freshPlan.window === undefined ? {} : { window: freshPlan.window }),
          ...(freshPlan.horizon === undefined ? {} : { horizon: freshPlan.horizon }),
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
