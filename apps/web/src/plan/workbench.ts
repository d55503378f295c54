import { PrivacyError, parsePeriod } from "@dosimeter/core";
import { present, typedNumber, unlessRefused } from "@dosimeter/core/internal";
import {
  blocksOfDraft,
  type Edit,
  editPlan,
  emptyDraft,
  type Fitness,
  firstDelta,
  gradeOf,
  type PlanDraft,
  peopleOf,
  type RowMode,
  requestOfTexts,
  requestWith,
  type Setting,
  type SettingTexts,
  settingsFor,
  textsOfRequest,
  wholeDeclaration,
  yardstickOf,
} from "@dosimeter/planner";
import { boundPlan } from "@dosimeter/query/bind";
import {
  type Column,
  type Declaration,
  inNoun,
  noOneText,
  readPredicate,
  type UnitNoun,
} from "@dosimeter/query/declaration";
import { type QuotedStatistic, quoteStatistic } from "@dosimeter/query/quote";
import { fits, isStatisticName, needWords, type Plan, type Reads, statistics } from "@dosimeter/query/statistics";
import { EPSILON, numberOf, plainOf } from "../parts/number-text.ts";
import { grouped } from "../parts/words.ts";
import { sumOf } from "../sums.ts";
import { columnWords } from "./columns.ts";
import type { PastedRow } from "./tsv.ts";

export type RowSettings = SettingTexts;

/** A variable has another type, or other values: the last edit of a plan without an account. */
interface Retyping {
  readonly name: string;
  readonly was: Column;
  /** The clock of the draft after it; any later edit moves on. */
  readonly clock: number;
}

/** A plan being made on the page: the planner's draft, what was typed, and why an edit was not taken. */
export interface Workbench {
  /** The table as it was opened, before any type was changed. */
  readonly declared: Declaration;
  readonly declaration: Declaration;
  readonly draft: PlanDraft;
  readonly settings: Readonly<Record<string, RowSettings>>;
  /** Row ids are never used twice, so that focus and undo stay with their row. */
  readonly nextId: number;
  readonly retyping?: Retyping;
}

/** A row of the table as it can be shown: complete with its quote, or the reason why it is not. */
export interface WorkRow {
  readonly id: string;
  readonly settings: RowSettings;
  readonly epsilon: string;
  readonly rho: string | null;
  readonly mode: RowMode;
  readonly target: number | null;
  readonly fitness: Fitness | null;
  readonly quote: QuotedStatistic | null;
  /** An answer that just meets the target is useless. */
  readonly isWideTarget: boolean;
  /** `field` is the setting to mend, or null. */
  readonly fault: { readonly field: string | null; readonly message: string } | null;
}

export const openWorkbench = (declaration: Declaration, epsilon: string): Workbench => ({
  declared: declaration,
  declaration,
  draft: { ...emptyDraft(epsilon), ...(declaration.blocks === undefined ? {} : { window: "latest 1" }) },
  settings: {},
  nextId: 1,
});

/** One edit of the planner. Throws `PrivacyError` where the edit cannot be taken; the workbench is then as it was. */
export const edited = (bench: Workbench, edit: Edit): Workbench => ({
  ...bench,
  draft: editPlan(bench.draft, edit, bench.declaration),
});

/** The declared columns with those that the plan derives. */
export const tableOf = ({ declaration, draft }: Workbench): Declaration => wholeDeclaration(declaration, draft);

export function withNewRow(bench: Workbench, settings: RowSettings): Workbench {
  const id = `s${bench.nextId}`;
  const texts = withFirstDelta(bench, id, settings);
  const added = edited(bench, { kind: "add", id, request: requestOfTexts(texts, tableOf(bench)) });
  return { ...added, nextId: bench.nextId + 1, settings: { ...bench.settings, [id]: texts } };
}

/** The rows of a question, each at its first price. */
export function withAsked(
  bench: Workbench,
  rows: Plan["statistics"],
  prices: readonly (string | undefined)[] = [],
): Workbench {
  return rows.reduce((before, row, at) => {
    const made = withNewRow(before, textsOfRequest(row));
    const [id, price] = [`s${before.nextId}`, prices[at]];
    const isRho = made.draft.rows.find((each) => each.id === id)?.rho != null;
    if (price === undefined) return made;
    return edited(made, isRho ? { kind: "rho", id, rho: price } : { kind: "epsilon", id, epsilon: price });
  }, bench);
}

/** Rows from a spreadsheet, as one step: each with its error, share and target where they are given. */
export function withPasted(bench: Workbench, rows: readonly PastedRow[]): Workbench {
  return rows.reduce((before, { texts, target, error, share }) => {
    const id = `s${before.nextId}`;
    let next = withNewRow(before, texts);
    if (target !== "") next = edited(next, { kind: "target", id, target: pastedNumber(target, "target") });
    if (error !== "") next = edited(next, { kind: "accuracy", id, accuracy: pastedNumber(error, "accuracy") });
    else if (share !== "") next = edited(next, { kind: "epsilon", id, epsilon: plainOf(share, EPSILON) });
    return next;
  }, bench);
}

const pastedNumber = (text: string, name: string): number =>
  typedNumber(text.replace(/^±\s*/, ""), { above: 0 }, name).value;

/** A bound as typed, or else as declared, of dates their period; NaN where there is none. */
export function boundIn(typed: string | undefined, column: Column | undefined, end: "lower" | "upper"): number {
  if (typed === undefined || typed.trim() === "") return column?.[end] ?? Number.NaN;
  return column?.calendar === undefined ? numberOf(typed) : (parsePeriod(typed.trim(), column.calendar) ?? Number.NaN);
}

/** Changes settings; another statistic or column drops the settings that only made sense for the old one. */
export function withSettings(bench: Workbench, id: string, change: RowSettings): Workbench {
  const before = bench.settings[id] ?? {};
  const isOther = change.statistic !== undefined || change.column !== undefined;
  const kept = isOther ? pick(before, ["statistic", "column", "where", "groupBy", "noise"]) : before;
  const texts = { ...kept, ...(change.column ? sameColumn(bench, id, change.column) : {}), ...change };
  const settings = change.delta === undefined ? withFirstDelta(bench, id, texts) : texts;
  const changed = edited(bench, { kind: "change", id, request: requestOfTexts(settings, tableOf(bench)) });
  return { ...changed, settings: { ...bench.settings, [id]: settings } };
}

/** The settings with a δ that fits what is left, where they need one and have none. */
function withFirstDelta(bench: Workbench, id: string, texts: RowSettings): RowSettings {
  const needs = isStatisticName(texts.statistic ?? "") && (texts.delta ?? "") === "";
  if (!needs || !settingsFor(texts, tableOf(bench)).some(({ key }) => key === "delta")) return texts;
  const delta = firstDelta(bench.draft, id);
  return delta === null ? texts : { ...texts, delta };
}

const pick = (texts: RowSettings, keys: readonly string[]): RowSettings =>
  Object.fromEntries(Object.entries(texts).filter(([key]) => keys.includes(key)));

/** Bounds that another row of the same variable already has. */
function sameColumn(bench: Workbench, id: string, column: string): RowSettings {
  const other = bench.draft.rows.find((row) => row.id !== id && bench.settings[row.id]?.column === column);
  return other === undefined ? {} : pick(bench.settings[other.id] ?? {}, ["lower", "upper", "granularity"]);
}

/** A plan read from a file or a way out: its rows, and their settings as they would be typed. */
export function withRows(bench: Workbench, draft: PlanDraft): Workbench {
  const settings = Object.fromEntries(draft.rows.map((row) => [row.id, textsOfRequest(row.request)]));
  const numbers = draft.rows.map(({ id }) => Number(/^s(\d+)$/.exec(id)?.[1] ?? 0));
  return { ...bench, draft, settings, nextId: Math.max(0, ...numbers, bench.nextId - 1) + 1 };
}

/** Every row with its quote, computed here by the server's functions. */
export function rowsOf(bench: Workbench): readonly WorkRow[] {
  const known = worked.get(bench);
  if (known !== undefined) return known;
  const rows = workedRows(bench);
  worked.set(bench, rows);
  return rows;
}

/** Kept, because grid, announcement and quote read the same rows. */
const worked = new WeakMap<Workbench, readonly WorkRow[]>();

function workedRows(bench: Workbench): readonly WorkRow[] {
  const { draft } = bench;
  const table = tableOf(bench);
  const people = peopleOf(draft, table);
  return draft.rows.map((row) => {
    const settings = bench.settings[row.id] ?? {};
    const base = {
      id: row.id,
      settings,
      epsilon: row.epsilon,
      rho: row.rho ?? null,
      mode: row.mode,
      target: row.target ?? null,
      fitness: null,
      isWideTarget: false,
    };
    const missing = missingOf(settings, table);
    if (missing !== null) return { ...base, quote: null, fault: missing };
    if (draft.headroom !== null && row.isComplete && row.isOwned !== true && Number(row.rho ?? row.epsilon) === 0)
      return { ...base, quote: null, fault: nothingHelps(row, draft, table) };
    try {
      // A row that is not complete has no price yet, and the reason is not that.
      const { bounded, quote } = quotedAlone(row.isComplete ? row : atOne(row), draft, table);
      const error = quote?.accuracy.halfWidth ?? null;
      const yardstick = yardstickOf(row, bounded ?? null, people);
      const { useless } = yardstick;
      const fitness = error === null ? null : gradeOf(error, yardstick);
      const isWideTarget = row.target !== undefined && useless !== null && row.target >= useless;
      return { ...base, quote, fitness, isWideTarget, fault: null };
    } catch (error) {
      return { ...base, quote: null, fault: faultOf(error, table.unitNoun) };
    }
  });
}

function quotedAlone(row: PlanDraft["rows"][number], draft: PlanDraft, table: Declaration) {
  const plan = boundPlan({ ...planOfRows([row], draft), ...blocksOfDraft(draft, table) }, table);
  const [bounded] = plan.statistics;
  const quote = bounded === undefined ? null : quoteStatistic(bounded, plan, peopleOf(draft, table), row.known);
  return { bounded, quote };
}

/** Why a row has no first price. */
function nothingHelps(row: PlanDraft["rows"][number], draft: PlanDraft, table: Declaration): WorkRow["fault"] {
  const { where } = row.request;
  const noOne = where === undefined ? null : unlessRefused(() => noOneText(readPredicate(where, table), table), null);
  if (noOne !== null) return { field: "where", message: noOne };
  const quote = unlessRefused(() => quotedAlone(atOne(row), draft, table).quote, null);
  return quote?.accuracy.halfWidth === null
    ? { field: null, message: inNoun(SIZE_UNKNOWN, table.unitNoun) }
    : NOTHING_HELPS;
}

const SIZE_UNKNOWN =
  "How far off the answer is depends on the number of people, which is not declared: say about how many under “Settings”, or type a share.";

const NOTHING_HELPS = {
  field: null,
  message:
    "No price that is left makes this useful: type a share, ask for fewer groups or bins, or ask for more budget.",
} as const;

const atOne = (row: PlanDraft["rows"][number]): PlanDraft["rows"][number] => ({
  ...row,
  epsilon: "1",
  ...(row.rho === undefined ? {} : { rho: "1" }),
});

/** The plan of the complete rows; the others are ignored. */
export function readyPlan(bench: Workbench, rows: readonly WorkRow[]): Plan | null {
  const ready = new Set(rows.filter((row) => row.quote !== null).map((row) => row.id));
  const chosen = bench.draft.rows.filter((row) => ready.has(row.id));
  const { join, let: formulas, window, confidence } = bench.draft;
  return chosen.length === 0
    ? null
    : {
        ...present({ join, let: formulas, window }),
        ...planOfRows(chosen, { confidence }),
      };
}

/** ε of the complete rows, exact. */
export const costOf = (rows: readonly WorkRow[]): string =>
  sumOf(rows.filter((row) => row.quote !== null).map((row) => row.epsilon));

const planOfRows = (rows: PlanDraft["rows"], { confidence }: Pick<PlanDraft, "confidence">): Plan => ({
  confidence,
  statistics: rows.map(requestWith),
});

function missingOf(settings: RowSettings, declaration: Declaration): WorkRow["fault"] {
  const { statistic = "", column = "" } = settings;
  if (statistic === "") return { field: "statistic", message: "Choose a statistic." };
  if (!["none", "present"].includes(readsOf(statistic)) && column === "")
    return { field: "column", message: "Choose a variable." };
  if (!isStatisticName(statistic)) return null;
  const { column: reads, errorScale } = statistics[statistic];
  const variable = declaration.columns[column];
  if (variable !== undefined && !fits(reads, variable))
    return {
      field: "statistic",
      message: `The statistic needs ${needWords[reads]}, and ${column} is ${columnWords(variable)}`,
    };
  const isCounted = errorScale === "bins" && variable?.type === "number" && !settings.bins;
  return isCounted ? { field: "bins", message: "Say how many bins, or give their edges." } : null;
}

/** Which columns a statistic reads; any number while it is not chosen. */
export const readsOf = (statistic: string): Reads =>
  isStatisticName(statistic) ? statistics[statistic].column : "numeric";

/** `statistics[0].lower is 9, must be < 5` → the field and a sentence about it. */
export function faultOf(error: unknown, noun?: UnitNoun): { readonly field: string | null; readonly message: string } {
  if (!(error instanceof PrivacyError)) throw error;
  const message = error.message.replaceAll(/statistics\[\d+\]\./g, "").replace(/^edit\./, "");
  const path = /^statistics\[\d+\]\.(\w+)/.exec(error.details.name ?? "")?.[1] ?? null;
  const [, lower, upper] = /^lower is (\S+), must be < upper \((\S+)\)/.exec(message) ?? [];
  if (lower !== undefined) return { field: path, message: `Upper must exceed lower: ${upper} is not above ${lower}.` };
  const said = pageWords(message, noun) ?? (message.endsWith(".") ? message : `${message}.`);
  return { field: path, message: grouped(said) };
}

/** What the page calls the settings of a row. */
const settingNames: Readonly<Record<Setting["key"], string>> = {
  statistic: "The statistic",
  column: "The variable",
  lower: "The lower bound",
  upper: "The upper bound",
  granularity: "The granularity",
  bins: "The number of bins",
  with: "The list of other columns",
  k: "The number of values",
  valuesPerUnit: "The number of values of one person",
  quantiles: "The list of quantiles",
  unitLower: "One person’s least total",
  unitUpper: "One person’s largest total",
  groupBy: "The grouping",
  keys: "The choice of groups",
  keysFrom: "The row with the groups",
  keyShare: "The part of the price for finding groups",
  delta: "δ",
  atLeast: "The least number of people",
  where: "The condition",
  weights: "The list of weights",
  impossible: "The list of impossible combinations",
  tables: "The list of tables",
  numbers: "The kind of numbers",
  noise: "The noise",
};

/** What it calls the other parts of a plan. */
const names: Readonly<Record<string, string>> = {
  ...settingNames,
  "sample.population": "The number of people that the sample was drawn from",
  variable: "The variable",
  sample: "The number of people that the sample was drawn from",
  accuracy: "The error",
  epsilon: "ε",
  rho: "ρ",
  confidence: "The confidence, 1 − β,",
  reserve: "The reserve",
  target: "The target",
};

/** A refusal in the page's words; null where it names nothing that the page calls otherwise. */
function pageWords(message: string, noun: UnitNoun | undefined): string | null {
  const [, name = "", got = "", want = ""] = /^([\w.[\]]+) is (.+?), must be ([\s\S]+)$/.exec(message) ?? [];
  const said = names[name] ?? (name.startsWith("where.") ? "A value in the condition" : undefined);
  if (said === undefined) return null;
  if (name === "accuracy" && want.startsWith("an error that some epsilon"))
    return `No ε up to 1,000,000 reaches an error of ${got.replaceAll('"', "")}.`;
  return `${inNoun(said, noun)} is ${got.replaceAll('"', "")}, must be ${want.replaceAll("epsilon", "ε").replaceAll("delta", "δ")}.`;
}
