import {
  admit,
  type DpEvent,
  type FilterState,
  ledgerCaps,
  openingRule,
  openState,
  openTerms,
  QUESTION_WORK,
  type Rule,
  ruleNames,
  workBudget,
} from "@dosimeter/core";
import {
  type AgentReport,
  accountants,
  agentListOf,
  agentReport,
  type HistoryPoint,
  howManyMore,
  lossHistory,
  lossOf,
  type Method,
  odometerEpsilon,
  type Report,
  readSpendList,
  readSpends,
  tightestOf,
} from "@dosimeter/core/accounting";
import { unlessRefused } from "@dosimeter/core/internal";

/** The inputs of the page. */
export interface Question {
  /** CSV or JSON as pasted. */
  readonly list: string;
  readonly delta: number;
  /** ε of the budget. */
  readonly epsilon: number;
  readonly threshold: number;
}

/** One accountant's row: its total, and how many more of the last spend it has room for. */
export interface StudyRow {
  readonly method: Method;
  readonly label: string;
  readonly report: Report;
  readonly more: number | null;
  readonly isBest: boolean;
}

/** What a ledger of this budget would do with the same list. */
interface FilterRow {
  readonly rule: Rule;
  /** Lines admitted when each is offered as one charge, and how many more of the last one after them. */
  readonly admitted: number;
  readonly more: number;
}

export interface Study {
  readonly spends: number;
  readonly lines: number;
  readonly rows: readonly StudyRow[];
  readonly adaptive: number;
  readonly curves: readonly {
    readonly label: string;
    readonly points: readonly { readonly delta: number; readonly epsilon: number }[];
  }[];
  readonly histories: readonly { readonly label: string; readonly points: readonly HistoryPoint[] }[];
  readonly filters: readonly FilterRow[];
  readonly agent: AgentReport | null;
  /** Why there is no report although the list has lines. */
  readonly agentOmission: string | null;
}

const CURVE_METHODS: readonly Method[] = ["basic", "advanced", "optimal", "zcdp", "rdp", "gdp", "pld"];
const HISTORY_METHODS: readonly Method[] = ["basic", "advanced", "zcdp", "pld"];
const MAX_MORE = 2000;

/** Everything that the page shows of one list: a long pure computation for the worker. */
export function study({ list, delta, epsilon, threshold }: Question): Study {
  const lines = readSpendList(list);
  const events = lines.map(({ event }) => event);
  // Each number has a budget of its own: one that takes too long leaves the others.
  const budgeted = () => readSpends(events, undefined, "spends", workBudget(QUESTION_WORK));
  const spends = budgeted();
  const best = tightestOf(spends, { delta });
  const last = lastEvent(events);
  const rows = best.all.map((report): StudyRow => {
    const label = accountants.find(({ method }) => method === report.method)?.label ?? report.method;
    const isCounted = last !== undefined && !("unavailable" in report) && report.method !== "pld";
    const more = isCounted ? moreOf(last, report.method) : null;
    return { method: report.method, label, report, more, isBest: report.method === best.method };
  });
  const deltas = Array.from({ length: 13 }, (_, i) => 10 ** (-12 + (i * 11) / 12));
  const agentList = agentListOf(lines);
  return {
    spends: spends.count,
    lines: lines.length,
    rows,
    adaptive: odometerEpsilon(budgeted(), delta),
    curves: CURVE_METHODS.map((method) => ({ label: labelOf(method), points: curve(method, deltas) })),
    histories: HISTORY_METHODS.map((method) => ({
      label: labelOf(method),
      points: lossHistory(events, { delta, method, points: 12, work: workBudget(QUESTION_WORK) }),
    })),
    filters: filterRows(events, last, { epsilon, delta }),
    agent: agentList.spends.length === 0 ? null : agentReport(agentList.spends, { epsilon, delta }, threshold),
    agentOmission: agentList.omission,
  };

  function moreOf(event: DpEvent, method: Method): number | null {
    return unlessRefused(
      () => howManyMore(events, event, { epsilon, delta, method, work: workBudget(QUESTION_WORK) }),
      null,
      "TOO_MUCH_WORK",
    );
  }

  function curve(method: Method, at: readonly number[]) {
    const accountant = accountants.find((row) => row.method === method);
    if (accountant === undefined) return [];
    const asked = budgeted();
    return unlessRefused(
      () => at.map((x) => ({ delta: x, epsilon: lossOf(asked, { delta: x }, accountant).epsilon })),
      [],
    );
  }
}

const labelOf = (method: Method): string => accountants.find((row) => row.method === method)?.label ?? method;

/** The last event of the list, once. */
function lastEvent(events: readonly DpEvent[]): DpEvent | undefined {
  const last = events.at(-1);
  return last?.kind === "repeated" ? last.event : last;
}

function filterRows(
  events: readonly DpEvent[],
  last: DpEvent | undefined,
  budget: { readonly epsilon: number; readonly delta: number },
): readonly FilterRow[] {
  if (!(budget.epsilon > 0 && budget.delta > 0)) return [];
  return ruleNames.map((rule) => {
    const terms = openTerms({ epsilon: budget.epsilon, delta: budget.delta, rule });
    const caps = ledgerCaps(terms);
    let state: FilterState = openState(caps);
    let activeRule = openingRule(rule);
    const offer = (event: DpEvent): boolean => {
      const decided = admit(
        { rule, activeRule, policy: "auto", adjacency: terms.adjacency },
        [{ caps, state }],
        [event],
      );
      if (!decided.admitted) return false;
      activeRule = decided.activeRule;
      state = decided.states[0] ?? state;
      return true;
    };
    const admitted = events.filter(offer).length;
    let more = 0;
    while (last !== undefined && more < MAX_MORE && offer(last)) more++;
    return { rule, admitted, more };
  });
}
