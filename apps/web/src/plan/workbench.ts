import { PrivacyError } from "@dosimeter/core";
import {
  boundPlan,
  type Declaration,
  type Edit,
  editPlan,
  emptyDraft,
  type Fitness,
  fitnessOf,
  type Plan,
  type PlanDraft,
  predicateText,
  type QuotedStatistic,
  quotePlan,
  type RowMode,
  requestWith,
} from "@dosimeter/query";
import { sumOf } from "../charts.ts";

/** The settings of a row exactly as typed: a text that is not a number yet is kept, not lost. */
export interface RowSettings {
  readonly statistic: string;
  readonly column: string;
  readonly lower: string;
  readonly upper: string;
  readonly granularity: string;
  readonly bins: string;
  readonly groupBy: readonly string[];
  readonly where: string;
  /** "" is Laplace noise. */
  readonly noise: "" | "gaussian";
}

/** A plan being made on the page: the planner's draft, what was typed, and why an edit was not taken. */
export interface Workbench {
  readonly declaration: Declaration;
  readonly draft: PlanDraft;
  readonly settings: Readonly<Record<string, RowSettings>>;
  /** Row ids are never used twice, so that focus and undo stay with their row. */
  readonly nextId: number;
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
  /** `field` is the setting to mend, or null. */
  readonly fault: { readonly field: string | null; readonly message: string } | null;
}

export const emptySettings: RowSettings = {
  statistic: "",
  column: "",
  lower: "",
  upper: "",
  granularity: "",
  bins: "",
  groupBy: [],
  where: "",
  noise: "",
};

export const openWorkbench = (declaration: Declaration, epsilon: string): Workbench => ({
  declaration,
  draft: emptyDraft(epsilon),
  settings: {},
  nextId: 1,
});

/** One edit of the planner. Throws `PrivacyError` where the edit cannot be taken; the workbench is then as it was. */
export const edited = (bench: Workbench, edit: Edit): Workbench => ({
  ...bench,
  draft: editPlan(bench.draft, edit, bench.declaration),
});

export function withNewRow(bench: Workbench, settings: Partial<RowSettings>): Workbench {
  const id = `s${bench.nextId}`;
  const full = { ...emptySettings, ...settings };
  const added = edited(bench, { kind: "add", id, request: requestOf(full, bench.declaration) });
  return { ...added, nextId: bench.nextId + 1, settings: { ...bench.settings, [id]: full } };
}

/** Changes settings; another statistic or column drops the settings that only made sense for the old one. */
export function withSettings(bench: Workbench, id: string, change: Partial<RowSettings>): Workbench {
  const before = bench.settings[id] ?? emptySettings;
  const isOther = change.statistic !== undefined || change.column !== undefined;
  const cleared = isOther ? { lower: "", upper: "", granularity: "", bins: "" } : {};
  const settings = { ...before, ...cleared, ...(change.column ? sameColumn(bench, id, change.column) : {}), ...change };
  const changed = edited(bench, { kind: "change", id, request: requestOf(settings, bench.declaration) });
  return { ...changed, settings: { ...bench.settings, [id]: settings } };
}

/** Bounds that another row of the same variable already has. */
function sameColumn(bench: Workbench, id: string, column: string): Partial<RowSettings> {
  const other = bench.draft.rows.find((row) => row.id !== id && bench.settings[row.id]?.column === column);
  const known = other === undefined ? undefined : bench.settings[other.id];
  return known === undefined ? {} : { lower: known.lower, upper: known.upper, granularity: known.granularity };
}

/** A plan read from a file or a way out: its rows, and their settings as they would be typed. */
export function withRows(bench: Workbench, draft: PlanDraft): Workbench {
  const settings = Object.fromEntries(draft.rows.map((row) => [row.id, settingsOf(row.request)]));
  const numbers = draft.rows.map(({ id }) => Number(/^s(\d+)$/.exec(id)?.[1] ?? 0));
  return { ...bench, draft, settings, nextId: Math.max(0, ...numbers, bench.nextId - 1) + 1 };
}

function settingsOf(request: PlanDraft["rows"][number]["request"]): RowSettings {
  const text = (value: unknown): string => (value === undefined ? "" : String(value));
  const { bins, where } = request;
  return {
    statistic: text(request.statistic),
    column: text(request.column),
    lower: text(request.lower),
    upper: text(request.upper),
    granularity: text(request.granularity),
    bins: typeof bins === "object" ? bins.join(" ") : text(bins),
    groupBy: request.groupBy ?? [],
    where: where === undefined ? "" : typeof where === "string" ? where : predicateText(where),
    noise: request.noise === "gaussian" ? "gaussian" : "",
  };
}

/** Every row with its quote, computed here and now by the functions the server enforces with. */
export function rowsOf(bench: Workbench): readonly WorkRow[] {
  return bench.draft.rows.map((row) => {
    const settings = bench.settings[row.id] ?? emptySettings;
    const base = {
      id: row.id,
      settings,
      epsilon: row.epsilon,
      rho: row.rho ?? null,
      mode: row.mode,
      target: row.target ?? null,
      fitness: null,
    };
    const missing = missingOf(settings, bench.declaration);
    if (missing !== null) return { ...base, quote: null, fault: missing };
    try {
      const bounded = boundPlan(planOfRows([row], bench.draft.confidence), bench.declaration);
      const [quote] = quotePlan(bounded, bench.draft.people === null ? {} : { people: bench.draft.people });
      return { ...base, quote: quote ?? null, fitness: fitnessOf(row, bench.draft, bench.declaration), fault: null };
    } catch (error) {
      return { ...base, quote: null, fault: faultOf(error) };
    }
  });
}

/** The plan of the rows that are complete: the others cost nothing and block nothing. */
export function readyPlan(bench: Workbench, rows: readonly WorkRow[]): Plan | null {
  const ready = new Set(rows.filter((row) => row.quote !== null).map((row) => row.id));
  const chosen = bench.draft.rows.filter((row) => ready.has(row.id));
  return chosen.length === 0 ? null : planOfRows(chosen, bench.draft.confidence);
}

/** ε of the complete rows, exact. */
export const costOf = (rows: readonly WorkRow[]): string =>
  sumOf(rows.filter((row) => row.quote !== null).map((row) => row.epsilon));

const planOfRows = (rows: PlanDraft["rows"], confidence: number): Plan => ({
  confidence,
  statistics: rows.map(requestWith),
});

/** Texts become numbers where they are some; what is not goes on as typed, and the planner says what it should be. */
function requestOf(settings: RowSettings, declaration: Declaration): PlanDraft["rows"][number]["request"] {
  const column = declaration.columns[settings.column];
  const isNumeric = column?.type === "integer" || column?.type === "number";
  const numbers = Object.fromEntries(
    (["lower", "upper", "granularity"] as const)
      .filter((key) => isNumeric && settings[key].trim() !== "")
      .map((key) => [key, numberOr(settings[key])]),
  );
  const bins =
    isNumeric && settings.statistic === "histogram" && settings.bins.trim() !== ""
      ? { bins: binsOf(settings.bins) }
      : {};
  const request = {
    statistic: settings.statistic,
    ...(settings.column === "" ? {} : { column: settings.column }),
    ...numbers,
    ...bins,
    ...(settings.groupBy.length === 0 ? {} : { groupBy: settings.groupBy }),
    ...(settings.where.trim() === "" ? {} : { where: settings.where.trim() }),
    ...(settings.noise === "gaussian" ? { noise: "gaussian" } : {}),
  };
  return request as PlanDraft["rows"][number]["request"];
}

const numberOr = (text: string): number | string => {
  const plain = text.trim().replaceAll(/[,_\s]/g, "");
  return plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : text.trim();
};

/** "10", or edges "0 18 65 100" with spaces, commas or semicolons between. */
function binsOf(text: string): number | string | readonly (number | string)[] {
  const parts = text
    .trim()
    .split(/[\s,;]+/)
    .filter((part) => part !== "");
  return parts.length === 1 ? numberOr(parts[0] ?? "") : parts.map(numberOr);
}

function missingOf(settings: RowSettings, declaration: Declaration): WorkRow["fault"] {
  if (settings.statistic === "") return { field: "statistic", message: "Choose a statistic." };
  if (settings.statistic !== "count" && settings.statistic !== "distinctUnits" && settings.column === "")
    return { field: "column", message: "Choose a column." };
  const column = declaration.columns[settings.column];
  const isCounted = settings.statistic === "histogram" && column?.type === "number" && settings.bins.trim() === "";
  return isCounted ? { field: "bins", message: "Say how many bins, or give their edges." } : null;
}

/** `statistics[0].lower is 9, must be < 5` → the field and a sentence about it. */
export function faultOf(error: unknown): { readonly field: string | null; readonly message: string } {
  if (!(error instanceof PrivacyError)) throw error;
  const message = error.message.replaceAll(/statistics\[\d+\]\./g, "").replace(/^edit\./, "");
  const path = /^statistics\[\d+\]\.(\w+)/.exec(error.details.name ?? "")?.[1] ?? null;
  return { field: path, message: message.endsWith(".") ? message : `${message}.` };
}
