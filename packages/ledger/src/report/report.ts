import { type Adjacency, epsilonNumber, formatDelta, formatEpsilon, PrivacyError, priceEvent } from "@dosimeter/core";
import {
  type Accountant,
  type AgentReport,
  type AgentSpend,
  accountantNamed,
  accountants,
  agentLosses,
  agentReport,
  gdpEpsilon,
  lossFacts,
  lossOf,
  type Method,
  neededAdjacency,
  odometerEpsilon,
  readSpends,
  runningLine,
  type Spend,
  type Spends,
  type SteppedSpend,
  spendClasses,
  spendsOverTime,
  tightestOf,
} from "@dosimeter/core/accounting";
import { unlessRefused } from "@dosimeter/core/internal";
import type { SpendHistory } from "./history.ts";
import { type MoreLike, moreLikeLast } from "./more.ts";
import { leftOverTime, type PointLeft } from "./remaining.ts";

/** The part of the budget's δ for a line of Gaussian noise, because AGENT's list has only pairs (ε, δ). */
const GAUSSIAN_SHARE = 1 / 1000;

/**
 * A class of spends as AGENT records queries: an (ε, δ), and its ρ where the noise was Gaussian. undefined where it
 * has no such pair. Gaussian noise is listed with the ε that it has at a thousandth of the budget's δ.
 */
function agentSpend(
  { event, facts }: Spend,
  { delta, adjacency }: { readonly delta: number; readonly adjacency: Adjacency },
): AgentSpend | undefined {
  if (event.kind === "gaussian" || event.kind === "gdp") {
    const own = delta * GAUSSIAN_SHARE;
    if (!(own > 0)) return undefined;
    return { epsilon: gdpEpsilon(facts.muSquared, own), delta: own, gaussian: true, rho: facts.muSquared / 2 };
  }
  const price = priceEvent(event, adjacency);
  if (price.epsilon === null) return undefined;
  return { epsilon: formatEpsilon(price.epsilon), delta: formatDelta(price.delta) };
}

export interface ReportQuestion {
  readonly history: SpendHistory;
  /** δ of every total, in [0, 1). */
  readonly delta: number;
  /** ε of one query above which AGENT uses basic composition. */
  readonly threshold: number;
}

/** One accountant's total: an upper bound, or why there is none. */
export interface AccountantRow {
  readonly method: Method;
  readonly label: string;
  readonly assumes: string;
  /** Infinity where nothing can be promised at this δ; null where an event cannot be priced. */
  readonly epsilon: number | null;
  readonly lower: number | null;
  readonly unavailable: string | null;
  /** The least of the valid ones. */
  readonly isLeast: boolean;
}

/** A total over time: ε after a number of charges. */
export interface TotalSeries {
  readonly name: Method | "agent" | "adaptive";
  readonly label: string;
  readonly points: readonly { readonly charges: number; readonly at: string; readonly epsilon: number }[];
}

/** All accountants side by side, now and over time, for a ledger or an account. */
export interface SpendReport {
  readonly charges: number;
  /** Events in them. */
  readonly spends: number;
  readonly delta: number;
  readonly threshold: number;
  readonly accountants: readonly AccountantRow[];
  /** Holds at every moment at once, however the questions and their prices were chosen. [M51] */
  readonly adaptive: number;
  /** null with its reason where AGENT's list has no pair (ε, δ) for an event. */
  readonly agent: AgentReport | null;
  readonly series: readonly TotalSeries[];
  /** Left under the rule in force after each stop, starting from all of it. */
  readonly left: readonly PointLeft[];
  readonly more: MoreLike | null;
}

const SERIES: readonly Method[] = ["basic", "advanced", "zcdp", "rdp", "gdp"];

/** The report of a node's charges: a long pure computation for another thread. Admits nothing. [M30]–[M51] */
export function spendReport({ history, delta, threshold }: ReportQuestion): SpendReport {
  const { kinds, stops, admissionTerms, quota } = history;
  const { adjacency } = admissionTerms;
  const budget = { epsilon: epsilonNumber(quota.epsilon, "down"), delta };
  const rows = classesOf(history);
  const needed = neededAdjacency(kinds.flat());
  const totals = spendsOverTime(rows, stops.length, needed);
  const spends = totals.at(-1) ?? readSpends([], needed);
  const best = tightestOf(spends, { delta });
  const agentRows = rows.flatMap(({ spend, upTo }) => {
    const listed = agentSpend(spend, { delta, adjacency });
    return listed === undefined ? [] : [{ spend: listed, upTo }];
  });
  const agent =
    agentRows.length < rows.length
      ? null
      : agentReport(
          agentRows.map(({ spend, upTo }) => ({ ...spend, count: upTo[stops.length - 1] ?? 0 })),
          budget,
          threshold,
        );
  const at = (epsilons: readonly number[]) =>
    stops.map(({ charges, at: when }, index) => ({ charges, at: when, epsilon: epsilons[index] ?? 0 }));
  const lines = SERIES.flatMap((method): TotalSeries[] => {
    const epsilons = priced(totals, delta, accountantNamed(method));
    return epsilons === undefined ? [] : [{ name: method, label: labelOf(method), points: at(epsilons) }];
  });
  const sharpest = sharpestOf(rows, { delta, lines, last: best.epsilon });
  return {
    charges: history.charges,
    spends: spends.count,
    delta,
    threshold,
    accountants: best.all.map((report): AccountantRow => {
      const { method } = report;
      const { label, assumes } = accountantNamed(method);
      const total =
        "unavailable" in report
          ? { epsilon: null, lower: null, unavailable: report.unavailable }
          : { epsilon: report.epsilon, lower: report.lower ?? null, unavailable: null };
      return { method, label, assumes, ...total, isLeast: method === best.method };
    }),
    adaptive: odometerEpsilon(spends, delta),
    agent,
    series: [
      ...lines,
      ...(sharpest === undefined ? [] : [{ name: "pld" as const, label: labelOf("pld"), points: at(sharpest) }]),
      {
        name: "adaptive",
        label: "True however the questions were chosen",
        points: at(totals.map((total) => odometerEpsilon(total, delta))),
      },
      ...(agent === null
        ? []
        : [
            {
              name: "agent" as const,
              label: "As AGENT reports it",
              points: at(
                agentLosses(agentRows, stops.length, { budget, threshold }).map((reported) => reported.epsilon),
              ),
            },
          ]),
    ],
    left: leftOverTime(history),
    more: moreLikeLast(history, kinds),
  };
}

const labelOf = (method: Method): string => accountants.find((row) => row.method === method)?.label ?? method;

/** The history as classes with counts, each read once: as long as there are different events, however many charges there were. */
function classesOf({ kinds, stops, admissionTerms }: SpendHistory): readonly SteppedSpend[] {
  const rows = new Map<string, { readonly spend: Spend; readonly upTo: Float64Array }>();
  const ofKind = kinds.map((events) =>
    spendClasses(events, "events", admissionTerms.adjacency).map((one) => {
      const key = JSON.stringify(one.event);
      const row = rows.get(key) ?? {
        spend: { ...one, facts: lossFacts(one.event) },
        upTo: new Float64Array(stops.length),
      };
      rows.set(key, row);
      return { upTo: row.upTo, count: one.count };
    }),
  );
  stops.forEach(({ added }, stop) => {
    for (const [kind, times] of added)
      for (const { upTo, count } of ofKind[kind] ?? []) upTo[stop] = (upTo[stop] ?? 0) + times * count;
  });
  for (const { upTo } of rows.values())
    for (let stop = 1; stop < upTo.length; stop++) upTo[stop] = (upTo[stop] ?? 0) + (upTo[stop - 1] ?? 0);
  return [...rows.values()].filter(({ upTo }) => (upTo.at(-1) ?? 0) > 0);
}

/** ε at every stop by one accountant; undefined where it cannot price the list. */
function priced(totals: readonly Spends[], delta: number, accountant: Accountant): readonly number[] | undefined {
  return unlessRefused(
    () => totals.map((total) => lossOf(total, { delta }, accountant).epsilon),
    undefined,
    "UNSUPPORTED_EVENT",
  );
}

/**
 * The distribution of the loss at every stop [M52]: sharp near the end, where it is tuned to, and never above another
 * valid line before that.
 */
function sharpestOf(
  rows: readonly SteppedSpend[],
  { delta, lines, last }: { readonly delta: number; readonly lines: readonly TotalSeries[]; readonly last: number },
): readonly number[] | undefined {
  if (!(delta > 0 && last > 0 && last < Number.POSITIVE_INFINITY)) return undefined;
  const valid = lines.filter(({ name }) => name !== "advanced");
  const stops = rows[0]?.upTo.length ?? 0;
  try {
    return runningLine(rows, stops, { epsilon: last, delta }).map((epsilon, index) => {
      if (index === stops - 1) return last;
      return valid.reduce((least, { points }) => Math.min(least, points[index]?.epsilon ?? least), epsilon);
    });
  } catch (error) {
    if (error instanceof PrivacyError && error.code === "UNSUPPORTED_EVENT") return undefined;
    throw error;
  }
}
