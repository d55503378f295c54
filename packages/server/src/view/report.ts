import type { Report } from "@dosimeter/client";
import {
  activeRuleRow,
  epsilonNumber,
  formatDelta,
  formatEpsilon,
  formatMu2,
  protectedUnit,
  ruleRow,
} from "@dosimeter/core";
import type { AgentReport } from "@dosimeter/core/accounting";
import {
  type Account,
  type Ledger,
  overBlocks,
  promisesLearning,
  type SpendHistory,
  type SpendReport,
} from "@dosimeter/ledger";

export interface Reported {
  readonly history: SpendHistory;
  readonly report: SpendReport;
  /** δ of the totals, an exact decimal. */
  readonly delta: string;
  readonly ledger: Ledger;
  readonly account: Account | null;
  readonly privacyUnit: string;
  readonly fitted: string | null;
  /** What of it programs outside declared. */
  readonly outside: Report["outside"];
  /** Of the ledger, what was published before. */
  readonly uncounted: string | null;
}

/**
 * A report on the wire, where JSON makes null of what is infinite. In a ledger with blocks all charges are added up as if each had named every
 * block: what is left of one budget, and how many more charges fit, are no numbers of such a ledger.
 */
export function reportView(reported: Reported): Report {
  const { history, report, ledger, account, delta } = reported;
  return {
    ...report,
    ledger: ledger.id,
    account: account?.id ?? null,
    head: history.head,
    outside: reported.outside,
    statement: statementOf(reported),
    delta,
    agent: report.agent === null ? null : agentView(report.agent),
    unit: activeRuleRow(ledger.activeRule).counts,
    left: ledger.blocks === null ? report.left : [],
    more: ledger.blocks === null ? report.more : null,
  };
}

const agentView = ({ label: _, adaptive: __, basic, advanced, zcdp, ...loss }: AgentReport) => ({
  ...loss,
  basic: basic.epsilon,
  advanced: advanced.epsilon,
  zcdp: zcdp?.epsilon ?? null,
});

/** The loss for a sentence: exact where Σε is the bound, else four digits, rounded up. */
function lossText({ history, report }: Pick<Reported, "history" | "report">): string {
  const sum = history.path.at(-1)?.state.epsilon ?? null;
  const epsilon = report.adaptive;
  if (sum !== null && Math.abs(epsilonNumber(sum, "up") - epsilon) <= 1e-9 * epsilon) return formatEpsilon(sum);
  if (!Number.isFinite(epsilon)) return "∞";
  const shown = Number(epsilon.toPrecision(4));
  return String(shown >= epsilon ? shown : Number((epsilon * (1 + 5e-4)).toPrecision(4)));
}

/**
 * One sentence with the promise, which the ledger keeps whatever comes, and the loss so far, which the odometer
 * certifies. Neither is a report of a fixed list. [M13] [M51]
 */
function statementOf({
  history,
  report,
  delta,
  ledger,
  account,
  privacyUnit,
  fitted,
  outside,
  uncounted,
}: Reported): Report["statement"] {
  const { terms } = ledger;
  const cap = account !== null && promisesLearning(account) ? account : null;
  // A cap counts nothing block by block: where it is closed and its ledger got blocks since, it still promises for all that was recorded. [M168]
  const blocks = cap === null ? ledger.blocks : null;
  const about = account === null ? "everything ever released" : "everything ever released from its ledger";
  const except = uncounted === null ? "" : `, except for what was published before (${uncounted})`;
  const promise =
    cap === null ? `${pair(terms)} for ${about}${except}, whatever is asked and in whatever order` : capPromise(cap);
  const spent = `a loss of at most ε = ${lossText({ history, report })} except with probability ${delta}`;
  const where = account === null ? "spent so far" : "spent so far through this account and those below it";
  const { state } = ledger;
  const whom = blocks === null ? "" : ` for ${protectedUnit("one", privacyUnit, blocks)}`;
  const condition = overBlocks(terms, { about: { privacyUnit }, blocks });
  const twice =
    blocks !== null && history.isTwice ? ` and what was charged before there were ${blocks.every}s twice` : "";
  const added = blocks === null ? "" : `, with all charges added up as if each had named every ${blocks.every}${twice}`;
  const fullest = ledger.blocks === null ? "" : `, in the fullest ${ledger.blocks.every}`;
  return {
    sentence: `Promised${whom}: ${promise}; ${where}${whom}${added}: ${spent}, at every moment at once, however the questions were chosen${outsideText(outside)}.${condition}`,
    promised: {
      sentence: fitted === null ? ledger.sentence : `${ledger.sentence} ${fitted}`,
      certificate: `version ${ledger.version} of the guarantee, rule ${ruleRow(ledger.rule).label}, now by ${ledger.activeRule}${fullest}: Σε = ${state.epsilon === null ? "no value" : formatEpsilon(state.epsilon)} of ${formatEpsilon(ledger.caps.epsilon)}, Σδ = ${formatDelta(state.delta)} of ${formatDelta(ledger.caps.delta)}, μ² left ${state.mu2 === null ? "no value" : formatMu2(state.mu2)} of ${formatMu2(ledger.caps.mu2)}, after line ${history.head.number} (${history.head.hash.slice(0, 16)}…)`,
      claim: "M13",
    },
    spent: {
      epsilon: report.adaptive,
      delta,
      certificate: `odometer over ${report.spends} ${report.spends === 1 ? "event" : "events"} in ${report.charges} ${report.charges === 1 ? "charge" : "charges"}${added}: the least of Σε and of the Rényi sums of a grid of orders fixed in advance`,
      claim: "M51",
    },
  };
}

/** What a cap promises, and on what conditions. Closing it returns its free quota, so a closed one promises what happened to be spent. [M151] */
export function capPromise({ holder, quota, status }: Pick<Account, "holder" | "quota" | "status">): string {
  const [learn, learns, courses] =
    status === "closed"
      ? [
          "learned",
          "learned",
          ", until it was closed, among the courses of events in which it is closed with this quota",
        ]
      : ["learn", "learns", ", among the courses of events in which this stays its quota"];
  const who =
    holder.kind === "team"
      ? `its members ${learn}, each while a member and since it was opened`
      : `its holder ${learns}`;
  return `${pair(quota)} for what ${who}${courses}, provided that their questions depend on no answer that this cap does not count, and that they read answers through this platform only`;
}

const pair = ({ epsilon, delta }: Account["quota"]): string => `(${formatEpsilon(epsilon)}, ${formatDelta(delta)})-DP`;

/** What the loss takes for granted. */
function outsideText({ charges, programs }: Report["outside"]): string {
  if (charges === 0) return "";
  const many = programs.length === 1 ? "one program" : `${programs.length} programs`;
  return `, provided that ${many} outside did what ${programs.length === 1 ? "it" : "they"} declared in ${charges === 1 ? "one" : charges} of these charges`;
}
