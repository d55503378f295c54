import { type DpEvent, epsilonNumber, PrivacyError } from "@dosimeter/core";
import {
  type Accountant,
  type AgentReport,
  accountantNamed,
  accountants,
  agentLoss,
  agentReport,
  lossOf,
  type Method,
  odometerEpsilon,
  readSpends,
  runningTotal,
  type Spends,
  tightestOf,
} from "@dosimeter/core/accounting";
import { agentList } from "./agent-list.ts";
import type { SpendHistory } from "./history.ts";
import { leftOverTime, type PointLeft } from "./left.ts";
import { type MoreLike, moreLikeLast } from "./more.ts";

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
  /** Infinity where nothing can be promised at this δ; absent where an event cannot be priced. */
  readonly epsilon?: number;
  readonly lower?: number;
  readonly unavailable?: string;
  /** The least of the valid ones. */
  readonly isLeast: boolean;
}

/** A total as it grew: ε after so many charges. */
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
  /** What was left under the rule in force after each stop, starting from all of it. */
  readonly left: readonly PointLeft[];
  readonly more: MoreLike | null;
}

const SERIES: readonly Method[] = ["basic", "advanced", "zcdp", "rdp", "gdp"];

/** Every report of a node's charges; pure and heavy: it belongs off the event loop. Nothing here admits anything. [M30]–[M51] */
export function spendReport({ history, delta, threshold }: ReportQuestion): SpendReport {
  const { kinds, stops, standing, quota } = history;
  const budget = { epsilon: epsilonNumber(quota.epsilon, "down"), delta };
  const listOf = (events: readonly DpEvent[]) => agentList(events, { delta, adjacency: standing.adjacency });
  const prefixes = prefixesOf(history);
  const whole = prefixes.at(-1) ?? [];
  const spends = readSpends(whole);
  const best = tightestOf(spends, { delta });
  const list = listOf(whole);
  const agent = list === undefined ? null : agentReport(list, budget, threshold);
  const totals = prefixes.map((prefix) => readSpends(prefix));
  const at = (epsilons: readonly number[]) =>
    stops.map(({ charges, at: when }, index) => ({ charges, at: when, epsilon: epsilons[index] ?? 0 }));
  const lines = SERIES.flatMap((method): TotalSeries[] => {
    const epsilons = priced(totals, delta, accountantNamed(method));
    return epsilons === undefined ? [] : [{ name: method, label: labelOf(method), points: at(epsilons) }];
  });
  const sharpest = sharpestOf(history, { delta, lines, last: best.epsilon });
  return {
    charges: history.charges,
    spends: spends.count,
    delta,
    threshold,
    accountants: best.all.map((report): AccountantRow => {
      const { label, assumes } = accountantNamed(report.method);
      const isLeast = report.method === best.method;
      if ("unavailable" in report)
        return { method: report.method, label, assumes, unavailable: report.unavailable, isLeast };
      const { epsilon, lower } = report;
      return { method: report.method, label, assumes, epsilon, ...(lower === undefined ? {} : { lower }), isLeast };
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
              points: at(prefixes.map((prefix) => agentLoss(listOf(prefix) ?? [], budget, threshold).epsilon)),
            },
          ]),
    ],
    left: leftOverTime(history),
    more: moreLikeLast(history, kinds),
  };
}

const labelOf = (method: Method): string => accountants.find((row) => row.method === method)?.label ?? method;

/** The list at every stop as classes with counts: as long as there are kinds, however many charges there were. */
function prefixesOf({ kinds, stops }: SpendHistory): readonly (readonly DpEvent[])[] {
  const counts = new Map<number, number>();
  return stops.map(({ added }) => {
    for (const [kind, count] of added) counts.set(kind, (counts.get(kind) ?? 0) + count);
    return [...counts].map(
      ([kind, count]): DpEvent => ({ kind: "repeated", count, event: { kind: "composed", events: kinds[kind] ?? [] } }),
    );
  });
}

/** ε at every stop by one accountant; undefined where it cannot price the list. */
function priced(totals: readonly Spends[], delta: number, accountant: Accountant): readonly number[] | undefined {
  try {
    return totals.map((total) => lossOf(total, { delta }, accountant).epsilon);
  } catch (error) {
    if (error instanceof PrivacyError && error.code === "UNSUPPORTED_EVENT") return undefined;
    throw error;
  }
}

/**
 * The distribution of the loss at every stop, one sweep a stop [M52]: sharp near the end, where it is tuned to, and never
 * above another valid line before that.
 */
function sharpestOf(
  { kinds, stops }: SpendHistory,
  { delta, lines, last }: { readonly delta: number; readonly lines: readonly TotalSeries[]; readonly last: number },
): readonly number[] | undefined {
  if (!(delta > 0 && last > 0 && last < Number.POSITIVE_INFINITY)) return undefined;
  const running = runningTotal({ epsilon: last, delta });
  const valid = lines.filter(({ name }) => name !== "advanced");
  try {
    return stops.map(({ added }, index) => {
      for (const [kind, count] of added) running.add({ kind: "composed", events: kinds[kind] ?? [] }, count);
      if (index === stops.length - 1) return last;
      return valid.reduce(
        (least, { points }) => Math.min(least, points[index]?.epsilon ?? least),
        running.epsilon(delta),
      );
    });
  } catch (error) {
    if (error instanceof PrivacyError && error.code === "UNSUPPORTED_EVENT") return undefined;
    throw error;
  }
}
