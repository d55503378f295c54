import { casesText, type DpEvent, formatEpsilon, invalid, PrivacyError } from "@dosimeter/core";
import { errorText, leastWhole, present } from "@dosimeter/core/internal";
import { keySentence } from "../answer/notes.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkSources } from "../bind/key-plan.ts";
import type { Declaration } from "../declaration/declaration.ts";
import { inNoun } from "../declaration/words.ts";
import { type Cost, costOf } from "../noise/noise.ts";
import type { BoundedPlan, BoundedStatistic, Mechanism } from "../plan/bounded.ts";
import { rangeOf } from "../plan/task.ts";
import { isChosen, taskKindOf } from "../plan/task-kinds.ts";
import { accuracyOf, declaredRows, rowsPerGroup } from "../statistics/accuracy.ts";
import { answerBins, definitionOf } from "../statistics/registry.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { growth } from "../statistics/sampling.ts";
import type { TableError } from "../statistics/statistic.ts";
import { stepText } from "../statistics/words.ts";
import { type BestBounds, bestBounds, boundsText, paidIn, paidUnits, repriced } from "./best-bounds.ts";
import { type Bias, biasOf, biasText, cutsRows, isBiased, type Known } from "./bias.ts";
import { hidesAll, mostAnswers, type Scale, saysNothingOf, scaleOf } from "./usefulness.ts";

/** `price` in ε or ρ as the row is paid, a decimal with two digits rounded up; `cells` at most. */
export interface Remedy {
  readonly epsilon?: string;
  readonly rho?: string;
  readonly cells?: number;
}

/** The cost and error of a row, before anything is paid. Plain JSON. */
export interface QuotedStatistic {
  readonly id: string;
  readonly statistic: string;
  readonly label: string;
  /** How tighter bounds than those of the column change the question; null where none are. */
  readonly caps: string | null;
  readonly noise: Mechanism;
  readonly cost: Cost;
  readonly events: readonly DpEvent[];
  /** How many answers: groups × bins. */
  readonly cells: number;
  readonly accuracy: {
    /**
     * Half-width of each answer's interval, in the answer's unit, for quantiles in rows; null when it needs a number of people that no one
     * gave. Of counts and ranks among a public number of rows, at most that number: of a count then after it is cut to the possible.
     */
    readonly halfWidth: number | null;
    readonly confidence: number;
    /** Of an answer of several tables, the half-width of each; the one above is the largest of those asked for. */
    readonly tables?: readonly TableError[];
    /** The assumed number of people, in words, where the error depends on it. */
    readonly assumes: string | null;
    /**
     * The rows of a group that the error is of; null where it does not depend on them, or no one says. `release`: the least of the smallest
     * group, by the earlier count `by`. `declared`, `assumed`: all rows ÷ groups, by the owner or the asker.
     */
    readonly groupSize: {
      readonly rows: number;
      readonly from: "release" | "declared" | "assumed";
      readonly by: string | null;
    } | null;
    /** What the caps change, which is no part of the half-width: null where it is not known, or nothing is capped. */
    readonly bias: Bias | null;
    /** Bounds with the least error in all, by an earlier answer; null where none are much better, or nothing tells. */
    readonly bestBounds: BestBounds | null;
    /** What the error is compared with; null where that needs a number of people that no one gave. */
    readonly scale: Scale | null;
    /** The error is not below that. */
    readonly useless: boolean;
    /** Answers that cannot be distinguished from nothing, as far as it is known: all of a useless row. */
    readonly lost: number;
    /** What would make a useless answer useful: the least price, or fewer answers; null where nothing would. */
    readonly remedy: Remedy | null;
  };
  readonly sensitivity: { readonly l1: string; readonly l2Squared: string; readonly linf: string };
  readonly sentence: string;
}

export interface QuoteOptions {
  /** Overrides the declared size; the user's own assumption, never the data's. */
  readonly people?: number | undefined;
  /** What earlier answers tell, by the id of the row. */
  readonly known?: ReadonlyMap<string, Known> | undefined;
}

/** Every event of a plan, in order: what the ledger is charged. Refuses groups of a row that the plan does not have. */
export function eventsOf({ statistics }: BoundedPlan): readonly DpEvent[] {
  checkSources(statistics);
  return statistics.flatMap(({ events }) => events);
}

export function quotePlan(plan: BoundedPlan, { people, known }: QuoteOptions = {}): readonly QuotedStatistic[] {
  const rows = people ?? declaredRows(plan.declaration);
  return plan.statistics.map((statistic) => quoteStatistic(statistic, plan, rows, known?.get(statistic.id)));
}

/** What of a plan would be paid for in vain, each part by its name; null where nothing would. */
export function lostText({
  label,
  cells,
  accuracy: { lost },
}: Pick<QuotedStatistic, "label" | "cells" | "accuracy">): string | null {
  if (lost === 0) return null;
  const which = cells === 1 ? label : `${whole.format(lost)} of ${whole.format(cells)} answers of ${label}`;
  return `${which} cannot be distinguished from nothing`;
}

/** The number of rows that no count and no rank is off by more than: it is public. */
function mostOff(statistic: BoundedStatistic, { size }: Declaration): number {
  const { byRank, shows } = definitionOf(statistic);
  const isInRows = byRank !== undefined || shows.value === "rows" || shows.value === "people";
  if (!isInRows || size === undefined || !("public" in size)) return Number.POSITIVE_INFINITY;
  return size.public * Math.max(1, statistic.contribution.rows);
}

export function quoteStatistic(
  statistic: BoundedStatistic,
  { confidence, declaration }: Pick<BoundedPlan, "confidence" | "declaration">,
  rows: number | null,
  known: Known = {},
): QuotedStatistic {
  const { needsRows, assuming, byTable } = definitionOf(statistic);
  const tables = byTable?.(statistic, 1 - confidence).map((table) => ({
    ...table,
    halfWidth: growth(statistic) * table.halfWidth,
  }));
  const drawn = accuracyOf(statistic, 1 - confidence, rowsFor(statistic, rows, known));
  const halfWidth = drawn === null ? null : Math.min(drawn, mostOff(statistic, declaration));
  const { noOne } = statistic;
  const needed = needsRows(statistic.task) && noOne === undefined ? assumption(statistic, rows, known) : null;
  const groupSize = needed === null ? null : groupSizeOf(statistic, rows, { known, declaration });
  const assumes = needed === null || assuming === undefined ? needed : `${needed} and ${assuming}`;
  const terms = { failureProbability: 1 - confidence, rows, known };
  const useless = isUseless(statistic, terms);
  const remedy = useless && drawn !== null && noOne === undefined ? remedyOf(statistic, drawn, terms) : null;
  const bias = biasOf(statistic, known.tails);
  const scale = scaleOf(statistic, rows, known);
  const cells = answers(statistic);
  const small = known.expected?.sizes.filter((size) => halfWidth !== null && size <= halfWidth).length ?? 0;
  // Of groups that are found the error is that of the smallest: only where none is likely to be shown, all are lost.
  const isLost = useless && (statistic.keys === undefined || noOne !== undefined || hidesAll(statistic, rows));
  const accuracy = {
    ...{ halfWidth, confidence, assumes, groupSize, bias, scale, useless, lost: isLost ? cells : small, remedy },
    bestBounds: bestBounds(statistic, { declaration, confidence }, known.tails),
    ...present({ tables }),
  };
  return {
    id: statistic.id,
    statistic: statistic.statistic,
    label: statistic.label,
    caps: statistic.caps?.text ?? null,
    noise: isChosen(statistic) ? "selection" : statistic.noise.kind,
    cost: costOf(statistic),
    events: statistic.events,
    cells,
    accuracy,
    sensitivity: {
      l1: String(statistic.sensitivity.l1),
      l2Squared: String(statistic.sensitivity.l2Squared),
      linf: String(statistic.sensitivity.linf),
    },
    sentence:
      noOne ??
      `${sentenceOf(statistic, accuracy, halfWidth !== drawn)}${tablesSentence(tables)}${capsSentence(statistic, accuracy, { declaration, rows, known })}${bestSentence(statistic, accuracy, known)}${cutSentence(statistic, { declaration, rows, known })}`,
  };
}

/** The most tables that a sentence names. */
const NAMED_TABLES = 12;

function tablesSentence(tables: readonly TableError[] = []): string {
  if (tables.length < 2) return "";
  const named = tables
    .slice(0, NAMED_TABLES)
    .map(({ table, halfWidth }) => `${table.length === 0 ? "all rows" : table.join(" × ")} ± ${errorText(halfWidth)}`);
  const more = tables.length - named.length;
  return ` By table: ${named.join(", ")}${more === 0 ? "" : `, and ${whole.format(more)} more`}.`;
}

interface Terms {
  readonly failureProbability: number;
  readonly rows: number | null;
  readonly known: Known;
}

/** The noise is as large as what is asked, or nothing would be published at all, or no declared value is asked for. */
function isUseless(statistic: BoundedStatistic, { failureProbability, rows, known }: Terms): boolean {
  if (statistic.noOne !== undefined || hidesAll(statistic, rows)) return true;
  const halfWidth = accuracyOf(statistic, failureProbability, rowsFor(statistic, rows, known));
  const scale = scaleOf(statistic, rows, known);
  return halfWidth !== null && scale !== null && halfWidth >= scale.useless;
}

const DOUBLINGS = 64;
const HALVINGS = 8;

/** The least price, to two digits, and the fewest answers, from which on an answer says something. */
function remedyOf(statistic: BoundedStatistic, halfWidth: number, terms: Terms): Remedy | null {
  const cells = mostAnswers(statistic, halfWidth, terms.rows);
  const says = (units: bigint): boolean => {
    const at = repriced(statistic, units);
    return at !== null && !isUseless(at, terms);
  };
  let low = paidUnits(statistic);
  let high = 2n * low;
  for (let i = 0; i < DOUBLINGS && high < MAX_UNITS && !says(high); i++) [low, high] = [high, 2n * high];
  if (high >= MAX_UNITS) return cells === null ? null : { cells };
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2n;
    if (says(middle)) high = middle;
    else low = middle;
  }
  const price = twoDigitsUp(paidIn(statistic) === "laplace" ? high : (high + 1n) / 2n);
  const text = formatEpsilon(price);
  return {
    ...(paidIn(statistic) === "laplace" ? { epsilon: text } : { rho: text }),
    ...(cells === null ? {} : { cells }),
  };
}

function twoDigitsUp(units: bigint): bigint {
  const grid = 10n ** BigInt(Math.max(0, units.toString().length - 2));
  return ((units + grid - 1n) / grid) * grid;
}

/** Found groups count as one, because their number is unknown. */
function answers(statistic: BoundedStatistic): number {
  const { task, groups } = statistic;
  return taskKindOf(statistic).answers(task, Math.max(1, groups.length), Math.max(1, answerBins(statistic).length));
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** The number of rows in all of which each group has as many as the smallest one, by an earlier count [M386]. */
export const rowsFor = (
  { groups, part = 1 }: BoundedStatistic,
  rows: number | null,
  { group }: Known,
): number | null => (group === undefined ? rows : (Math.max(1, group.rows) * groups.length) / part);

function groupSizeOf(
  statistic: BoundedStatistic,
  rows: number | null,
  { known: { group }, declaration }: Pick<Terms, "known"> & Pick<BoundedPlan, "declaration">,
): QuotedStatistic["accuracy"]["groupSize"] {
  if (group !== undefined) return { rows: group.rows, from: "release", by: group.from };
  const each = rowsPerGroup(statistic, rows);
  if (each === null) return null;
  return { rows: each, from: rows === declaredRows(declaration) ? "declared" : "assumed", by: null };
}

function assumption(statistic: BoundedStatistic, rows: number | null, { group }: Known): string {
  // Over a window a person has as many rows as blocks, or more.
  const isOfPeople = statistic.contribution.rows === 1 && statistic.window === undefined;
  const who = isOfPeople ? inNoun("people", statistic.noun) : "rows";
  if (group !== undefined) {
    const count = Math.max(1, group.rows);
    const least = `at least ${count === 1 ? (isOfPeople ? inNoun("1 person", statistic.noun) : "1 row") : `${whole.format(count)} ${who}`}`;
    const which = statistic.groups.length === 1 ? `there are ${least}` : `each group has ${least}`;
    return `if ${which}, as the earlier ${group.from} says`;
  }
  if (rows === null) return `it depends on how many ${who} there are`;
  const each = whole.format(Math.max(1, Math.round(rowsPerGroup(statistic, rows) ?? rows)));
  const { where, keys, part = 1 } = statistic;
  const share = keys === undefined && part < 1 ? ", an even share of what is declared" : "";
  const match = where === null ? "" : ` that match${share}`;
  const isWhole = keys === undefined ? statistic.groups.length === 1 : keys.from !== null;
  return isWhole
    ? `if there are about ${each} ${who}${match}`
    : `if there are about ${each} ${who} in the group${match}`;
}

function sentenceOf(
  statistic: BoundedStatistic,
  { halfWidth, confidence, assumes, scale, useless, remedy }: QuotedStatistic["accuracy"],
  isCut: boolean,
): string {
  const cells = answers(statistic);
  const found = statistic.keys !== undefined;
  const { subject: subjectOf, words, byRank } = definitionOf(statistic);
  const named = subjectOf?.(statistic);
  const answer = found ? "Each answer" : cells === 1 ? "The answer" : `Each of the ${whole.format(cells)} answers`;
  const subject = named === undefined ? answer : `${named[0]?.toUpperCase()}${named.slice(1)}`;
  if (halfWidth === null)
    return inNoun("How far off the answer is depends on the number of people, which is not declared.", statistic.noun);
  const start =
    assumes === null
      ? subject
      : `${assumes[0]?.toUpperCase()}${assumes.slice(1)}, ${subject[0]?.toLowerCase()}${subject.slice(1)}`;
  const off =
    words?.(statistic, errorText(halfWidth)) ??
    (halfWidth === 0
      ? "will be exact"
      : `will be within ± ${errorText(halfWidth, statistic.unit)}${periodsWord(statistic)}`);
  const which =
    statistic.keys === undefined
      ? ""
      : ` ${keySentence(statistic.keys, statistic.noun)}${statistic.keys.rule === null ? "" : OF_DELTA}`;
  const few = useless ? null : saysNothingOf(statistic, halfWidth);
  const small = few === null ? "" : ` Of a group of at most ${whole.format(few)} rows it says nothing.`;
  const steps = stepText(statistic);
  const step = steps === null ? "" : ` Values are ${steps}.`;
  return `${start}${isCut && byRank === undefined ? CUT : ""} ${off} ${casesText(confidence)}.${step}${which}${small}${useless ? uselessSentence(remedy, scale) : ""}`;
}

/** The periods that an error of dates counts. */
function periodsWord(statistic: BoundedStatistic): string {
  const calendar = rangeOf(statistic)?.calendar;
  return calendar === undefined || definitionOf(statistic).shows.measures === undefined ? "" : ` ${calendar}s`;
}

/** The noise alone is larger than any true answer. */
const CUT = ", cut to what is possible,";

/** A ledger's δ is split once, when it opens. */
const OF_DELTA =
  " That is paid from the part of δ kept for selecting: a tenth, unless the ledger was opened otherwise.";

function uselessSentence(remedy: Remedy | null, scale: Scale | null): string {
  const ways = [
    remedy?.epsilon === undefined ? null : `from ε = ${remedy.epsilon}`,
    remedy?.rho === undefined ? null : `from ρ = ${remedy.rho}`,
    remedy?.cells === undefined
      ? null
      : `with at most ${whole.format(remedy.cells)} answer${remedy.cells === 1 ? "" : "s"}`,
  ].filter((way) => way !== null);
  const enough = ways.length === 0 ? "" : ` Useful ${ways.join(", or ")}.`;
  return ` At this price it says nothing${scale === null ? "" : `, measured by ${scale.by}`}.${enough}`;
}

/** What the noise leaves out where the caps of a row change its question: what they do to the answer, or what would tell it. [M350] */
function capsSentence(
  statistic: BoundedStatistic,
  { bias }: QuotedStatistic["accuracy"],
  { declaration, rows, known }: Pick<BoundedPlan, "declaration"> & Pick<Terms, "rows" | "known">,
): string {
  if (!isBiased(statistic)) return "";
  if (bias !== null)
    return ` That is the noise; ${biasText(bias, errorUnitOf(statistic))}, by the earlier ${known.tails?.from}.`;
  const teller = tellerOf(statistic, declaration, rows);
  return ` That is the noise. Capping: unknown${teller === null ? "" : `; ${teller} would tell`}.`;
}

/** The unit of what capping changes: that of the answer, and rows where its error is in rows. */
const errorUnitOf = (statistic: BoundedStatistic): string | undefined =>
  definitionOf(statistic).byRank === undefined ? statistic.unit : "rows";

/** Other bounds of which an earlier answer tells that less would be wrong in all. [M374] */
function bestSentence(
  statistic: BoundedStatistic,
  { bestBounds, confidence }: QuotedStatistic["accuracy"],
  { tails }: Known,
): string {
  if (bestBounds === null) return "";
  const { noise, bias, error } = bestBounds;
  const { unit } = statistic;
  return ` Bounds of ${boundsText(bestBounds)} leave the least error in all, by the earlier ${tails?.from}: ± ${errorText(error, unit)} ${casesText(confidence)} (noise ± ${errorText(noise, unit)}, ${biasText(bias, unit)}).`;
}

/** What the bounds on rows of a person leave out: of how many people, or what would tell. [M378] */
function cutSentence(
  statistic: BoundedStatistic,
  { declaration, rows, known: { cut } }: Pick<BoundedPlan, "declaration"> & Pick<Terms, "rows" | "known">,
): string {
  if (!cutsRows(statistic)) return "";
  if (cut === undefined) {
    const teller = priceOfTelling({ statistic: "cutUnits", ...whereOf(statistic) }, declaration, rows);
    return inNoun(
      ` How many people have rows left out: unknown${teller === null ? "" : `; the statistic “${teller.label}” for ${teller.price} would tell`}.`,
      statistic.noun,
    );
  }
  const [least, most] = cut.people;
  const who = most === 0 ? "No one has" : `${whole.format(least)} to ${whole.format(most)} people have`;
  return inNoun(` ${who} rows left out, by the earlier ${cut.from}.`, statistic.noun);
}

const whereOf = ({ where }: BoundedStatistic): Pick<StatisticRequest, "where"> => (where === null ? {} : { where });

/** Bins, and the part of the rows that may be missed in one, that show what lies beyond a bound. */
const TELLING_BINS = 20;
const TELLING_PART = 0.01;

/** The histogram that would tell what capping changes, with its price: "a histogram of income by sex for ε = 0.02". */
function tellerOf(statistic: BoundedStatistic, declaration: Declaration, rows: number | null): string | null {
  const { column, groupBy } = statistic;
  if (column === null) return null;
  const asked = { statistic: "histogram", column, bins: TELLING_BINS, groupBy, ...whereOf(statistic) } as const;
  const told = priceOfTelling(asked, declaration, rows);
  return told === null ? null : `a ${told.label} for ${told.price}`;
}

/** What is asked and its price, where its error is a small part of the rows; null where it cannot be asked. */
function priceOfTelling(
  asked: StatisticRequest,
  declaration: Declaration,
  rows: number | null,
): { readonly label: string; readonly price: string } | null {
  if (rows === null) return null;
  try {
    const [teller] = boundPlan({ statistics: [{ ...asked, epsilon: 1 }] }, declaration).statistics;
    if (teller === undefined) return null;
    const each = rowsPerGroup(teller, rows) ?? rows;
    const price = leastUnits(teller, Math.max(1, TELLING_PART * each), 0.05, rows);
    return { label: teller.label, price: `ε = ${formatEpsilon(twoDigitsUp(price))}` };
  } catch (error) {
    if (error instanceof PrivacyError) return null;
    throw error;
  }
}

const MAX_UNITS = 10n ** 18n;

/**
 * The least price, in ledger units (ε, or μ² for Gaussian noise, 10⁻¹² each), at which each answer's half-width is at most
 * `accuracy`: accuracy(least(a)) ≤ a always. INVALID_PARAMETER when no ε ≤ 10⁶ reaches it.
 */
export function leastUnits(
  statistic: BoundedStatistic,
  accuracy: number,
  failureProbability: number,
  rows: number | null,
  name = "accuracy",
): bigint {
  if (!(accuracy >= 0) || !Number.isFinite(accuracy)) return invalid(name, accuracy, "a finite number >= 0");
  const step = paidIn(statistic) === "laplace" ? 1n : 2n;
  const reached = (units: bigint): boolean => {
    const at = repriced(statistic, units * step);
    if (at === null) return false;
    const half = accuracyOf(at, failureProbability, rows);
    if (half === null) return invalid("n", undefined, "the number of protected units to assume");
    return half <= accuracy;
  };
  if (!reached(MAX_UNITS)) return invalid(name, accuracy, "an error that some epsilon up to 1000000 reaches");
  return leastWhole(reached, 0n, MAX_UNITS) * step;
}
