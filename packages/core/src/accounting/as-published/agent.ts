import { toDouble } from "../../amounts/double.ts";
import { compare, type Decimal, parseRational, type Rational, rational } from "../../amounts/rational.ts";
import { invalid } from "../../error.ts";
import type { DpEvent } from "../../event.ts";
import { lossFacts } from "../facts.ts";
import { odometerEpsilon } from "../odometer.ts";
import { tightestOf } from "../report.ts";
import { decimalAtLeast, enlarge, exactSum, upper } from "../rounding.ts";
import { readSpends } from "../spends.ts";
import { zcdpEpsilonSimple } from "../zcdp.ts";

/**
 * One query on AGENT's list: what it was charged, and ρ where its noise was Gaussian and its scale was recorded. Only
 * the zCDP total can add a line that has ρ alone: the other two totals are then infinite.
 */
export interface AgentSpend {
  readonly epsilon?: Decimal;
  readonly delta?: Decimal;
  readonly count?: number;
  /** Whether the query's noise was Gaussian: AGENT then composes in zCDP. */
  readonly gaussian?: boolean;
  readonly rho?: Decimal;
}

export interface AgentBudget {
  readonly epsilon: Decimal;
  readonly delta: Decimal;
}

export type AgentRule = "basic" | "advanced" | "zcdp";

export interface AgentLoss {
  readonly epsilon: number;
  readonly delta: number;
}

/** The numbers that AGENT reports, and valid bounds to compare them with. */
export interface AgentReport extends AgentLoss {
  readonly method: AgentRule;
  readonly label: "as AGENT reports it";
  readonly basic: AgentLoss;
  readonly advanced: AgentLoss;
  /** Present when a spend was Gaussian; `lifted` when ρ came from (ε, δ) by the source's formula. */
  readonly zcdp?: AgentLoss & { readonly rho: number; readonly lifted: boolean };
  /** δ′: the rest of the budget's δ, or the floor. */
  readonly slack: number;
  readonly isFloored: boolean;
  /** By how much the reported δ exceeds the budget's; 0 when it does not. */
  readonly overshoot: number;
  /** The least ε that is true of this list at the reported δ, as if it had been fixed in advance. */
  readonly tightest: number;
  /** An ε at that δ that is true however the queries were chosen. */
  readonly adaptive: number;
  readonly remarks: readonly string[];
  /** Reported ε for each amount of δ left, with this list's ε's; it shows that the total climbs as δ is used up. */
  readonly curve: readonly { readonly deltaLeft: number; readonly epsilon: number; readonly delta: number }[];
}

const FLOOR: Rational = rational(1n, 10n ** 12n);
const MAX_POINTS = 60;

/**
 * AGENT's accountant exactly as published [M50]: basic if some ε exceeds `threshold`, else the least of basic, advanced
 * and, with Gaussian noise, zCDP; δ′ is what is left of δ, at least 10⁻¹², and is added to what was spent. A report,
 * never a rule.
 */
export function agentReport(spends: readonly AgentSpend[], budget: AgentBudget, threshold = 1): AgentReport {
  const { sums, spentDelta, total, isFloored, slack, at } = reading(spends.map(readRow), budget, threshold);
  const { loss, method, all } = at(slack);
  const over = subtract(add(spentDelta, method === "basic" ? rational(0n) : slack), total);
  const spent = readSpends(spends.map(asEvent));
  const truthAt = Math.min(loss.delta, 1 - 2 ** -53);
  const tightest = spent.classes.length === 0 ? 0 : tightestOf(spent, { delta: truthAt }).epsilon;
  const adaptive = odometerEpsilon(spent, truthAt);
  const report = {
    ...loss,
    method,
    label: "as AGENT reports it" as const,
    basic: all.basic as AgentLoss,
    advanced: all.advanced as AgentLoss,
    ...(sums.isGaussian ? { zcdp: { ...(all.zcdp as AgentLoss), rho: sums.rho, lifted: sums.isLifted } } : {}),
    slack: toDouble(slack, "down"),
    isFloored,
    overshoot: over.numerator > 0n ? decimalAtLeast(over) : 0,
    tightest,
    adaptive,
  };
  const found = remarks(report, budget);
  const remarksOfRho =
    sums.rhoOnly === 0
      ? []
      : [
          `${sums.rhoOnly} of the spends ${sums.rhoOnly === 1 ? "is" : "are"} known by rho alone: of AGENT's three totals only zCDP can add them.${spends.some(isPure) ? " A pure epsilon adds its rho, epsilon·tanh(epsilon/2)." : ""}`,
        ];
  return { ...report, remarks: [...remarksOfRho, ...found], curve: curve(total, (slackThere) => at(slackThere).loss) };
}

/** Only the reported numbers, after each step of a history. */
export function agentLosses(
  lines: readonly { readonly spend: AgentSpend; readonly upTo: ArrayLike<number> }[],
  steps: number,
  { budget, threshold = 1 }: { readonly budget: AgentBudget; readonly threshold?: number },
): readonly AgentLoss[] {
  const read = lines.map(({ spend, upTo }) => ({ row: readRow({ ...spend, count: 0 }), upTo }));
  return Array.from({ length: steps }, (_, step) => {
    const { slack, at } = reading(
      read.flatMap(({ row, upTo }) => (upTo[step] ? [{ ...row, count: upTo[step] }] : [])),
      budget,
      threshold,
    );
    return at(slack).loss;
  });
}

/** A line with its decimals read. */
interface AgentRow {
  readonly count: number;
  readonly epsilon: number;
  readonly exactEpsilon: Rational;
  readonly exactDelta: Rational;
  /** Only ρ is known. */
  readonly isRhoOnly: boolean;
  readonly isGaussian: boolean;
  readonly isLifted: boolean;
  readonly rho: number;
  /** ρ of a pure ε by theorem; as published in every other line. */
  readonly provedRho: number;
}

function readRow(spend: AgentSpend): AgentRow {
  const { epsilon = 0, delta = 0, count = 1, gaussian, rho } = spend;
  const above = upper(epsilon);
  const published = rho === undefined ? agentLift(above, upper(delta)) : upper(rho);
  return {
    count,
    isRhoOnly: isRhoOnly(spend),
    epsilon: above,
    exactEpsilon: parseRational(epsilon),
    exactDelta: parseRational(delta),
    isGaussian: gaussian === true || rho !== undefined,
    isLifted: rho === undefined,
    rho: published,
    provedRho: rho === undefined && upper(delta) === 0 ? lossFacts({ kind: "pure", epsilon }).rho : published,
  };
}

interface Chosen {
  readonly loss: AgentLoss;
  readonly method: AgentRule;
  readonly all: Record<AgentRule, AgentLoss | undefined>;
}

function reading(rows: readonly AgentRow[], budget: AgentBudget, threshold: number) {
  if (!(threshold >= 0)) invalid("threshold", threshold, ">= 0");
  const sums = sumsOf(rows);
  const spentDelta = exactSum(rows.map(({ exactDelta: value, count }) => ({ value, count })));
  const total = parseRational(budget.delta, "budget.delta");
  const left = subtract(total, spentDelta);
  const isFloored = compare(left, FLOOR) < 0n;
  const isLarge = rows.some(({ epsilon, count }) => count > 0 && epsilon > threshold);
  const at = (deltaSlack: Rational): Chosen => choose(sums, spentDelta, deltaSlack, isLarge);
  return { sums, spentDelta, total, isFloored, slack: isFloored ? FLOOR : left, at };
}

interface Sums {
  readonly epsilon: number;
  readonly squares: number;
  readonly drift: number;
  readonly rho: number;
  readonly rhoOnly: number;
  readonly isGaussian: boolean;
  readonly isLifted: boolean;
}

function sumsOf(rows: readonly AgentRow[]): Sums {
  let [squares, drift, rho, provedRho, rhoOnly, isGaussian, isLifted, isProved] = [0, 0, 0, 0, 0, false, false, true];
  for (const row of rows) {
    squares += row.count * row.epsilon * row.epsilon;
    drift += row.count * row.epsilon * Math.expm1(row.epsilon);
    if (row.count === 0) continue;
    if (row.isRhoOnly) rhoOnly += row.count;
    isGaussian ||= row.isGaussian;
    isLifted ||= row.isLifted;
    isProved &&= !row.isLifted || row.provedRho !== row.rho;
    rho += row.count * row.rho;
    provedRho += row.count * row.provedRho;
  }
  const epsilon = decimalAtLeast(exactSum(rows.map(({ exactEpsilon: value, count }) => ({ value, count }))));
  // The source has no line known by ρ alone, so what is added to one is not its formula where a theorem has a ρ.
  return rhoOnly > 0
    ? { epsilon, squares, drift, rho: enlarge(provedRho, 4), rhoOnly, isGaussian, isLifted: isLifted && !isProved }
    : { epsilon, squares, drift, rho, rhoOnly, isGaussian, isLifted };
}

/** The source's lift ε²/2 + ε√(2 ln(1/δ)) [M50]: as published. It is not a theorem, and grows without bound as δ falls. */
export function agentLift(epsilon: number, delta: number): number {
  if (epsilon === 0) return 0;
  return (epsilon * epsilon) / 2 + epsilon * Math.sqrt(-2 * Math.log(delta));
}

function choose(sums: Sums, spentDelta: Rational, slack: Rational, isLarge: boolean): Chosen {
  const bits = -Math.log(toDouble(slack, "down"));
  const whole = decimalAtLeast(add(spentDelta, slack));
  const all: Record<AgentRule, AgentLoss | undefined> = {
    basic: { epsilon: sums.rhoOnly > 0 ? Number.POSITIVE_INFINITY : sums.epsilon, delta: decimalAtLeast(spentDelta) },
    advanced: {
      epsilon:
        sums.rhoOnly > 0
          ? Number.POSITIVE_INFINITY
          : enlarge(Math.sqrt(2 * Math.max(0, bits) * sums.squares) + sums.drift, 2),
      delta: whole,
    },
    zcdp: sums.isGaussian ? { epsilon: zcdpEpsilonSimple(sums.rho, toDouble(slack, "down")), delta: whole } : undefined,
  };
  let method: AgentRule = "basic";
  if (!isLarge) {
    for (const rule of ["advanced", "zcdp"] as const) {
      const candidate = all[rule];
      if (candidate !== undefined && candidate.epsilon < (all[method] as AgentLoss).epsilon) method = rule;
    }
  } else if (all.zcdp !== undefined && all.zcdp.epsilon < (all.basic as AgentLoss).epsilon) method = "zcdp";
  return { loss: all[method] as AgentLoss, method, all };
}

const isPure = ({ rho, delta = 0, count = 1 }: AgentSpend): boolean =>
  rho === undefined && upper(delta) === 0 && count > 0;
const isRhoOnly = ({ epsilon, rho }: AgentSpend): boolean => epsilon === undefined && rho !== undefined;

/** The event behind a line: a Gaussian with that ρ where it was recorded, (ε, δ), or ρ of any mechanism. */
function asEvent(spend: AgentSpend): DpEvent {
  const { epsilon = 0, delta = 0, rho, gaussian, count = 1 } = spend;
  const event: DpEvent =
    rho === undefined
      ? { kind: "approximate", epsilon, delta }
      : isRhoOnly(spend) && gaussian !== true
        ? { kind: "zcdp", rho }
        : { kind: "gdp", mu: Math.sqrt(2 * upper(rho)) };
  return { kind: "repeated", count, event };
}

function curve(total: Rational, at: (slack: Rational) => AgentLoss): AgentReport["curve"] {
  const most = decimalAtLeast(total);
  if (!(most > 0)) return [];
  const least = Math.min(1e-13, most / 10);
  return Array.from({ length: MAX_POINTS + 1 }, (_, i) => {
    const deltaLeft = i === MAX_POINTS ? 0 : most * (least / most) ** (i / (MAX_POINTS - 1));
    const left = parseRational(deltaLeft);
    return { deltaLeft, ...at(compare(left, FLOOR) < 0n ? FLOOR : left) };
  });
}

function remarks(report: Omit<AgentReport, "remarks" | "curve">, budget: AgentBudget): readonly string[] {
  const show = (x: number): string => (Number.isFinite(x) ? String(Number(x.toPrecision(6))) : "infinite");
  const found: string[] = [];
  if (report.overshoot > 0) {
    found.push(
      `The reported delta ${show(report.delta)} is ${show(report.overshoot)} above the budget of ${budget.delta}: the floor of 1e-12 is added after the budget is gone.`,
    );
  }
  if (report.zcdp?.lifted === true) {
    found.push(
      Number.isFinite(report.zcdp.epsilon)
        ? `The lift from (epsilon, delta) to rho is not a theorem: no finite rho follows from an (epsilon, delta) with delta > 0. It reports ${show(report.zcdp.epsilon)} where ${show(report.tightest)} is true of this list at delta ${show(report.delta)}.`
        : "The source's lift from (epsilon, delta) to rho is infinite at delta 0, so its zCDP has no total for this list.",
    );
  }
  if (report.epsilon > report.tightest) {
    found.push(
      `For this list the tightest total at delta ${show(report.delta)} is ${show(report.tightest)}: the report is ${show(report.epsilon - report.tightest)} higher than it need be.`,
    );
  }
  if (report.epsilon < report.tightest) {
    found.push(
      `The report is ${show(report.tightest - report.epsilon)} below what is true of this list at delta ${show(report.delta)}.`,
    );
  }
  found.push(
    report.method === "basic"
      ? "Basic composition also holds when each query was chosen after earlier answers."
      : `The theorem used needs the list, and the slack taken from what is left of delta, to be fixed in advance. However the queries were chosen, ${show(report.adaptive)} holds at delta ${show(report.delta)}, ${show(Math.abs(report.adaptive - report.epsilon))} ${report.adaptive >= report.epsilon ? "above" : "below"} the report.`,
  );
  return found;
}

const add = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
const subtract = (a: Rational, b: Rational): Rational =>
  add(a, { numerator: -b.numerator, denominator: b.denominator });
