import { formatPeriod } from "@dosimeter/core";
import { settingsFor } from "@dosimeter/planner";
import { areYears, formatNumber, yearText } from "@dosimeter/plot";
import { capital } from "@dosimeter/plot/report";
import type { Declaration } from "@dosimeter/query/declaration";
import { errorText } from "@dosimeter/query/quote";
import { binnedColumns, fits, needWords, statistics } from "@dosimeter/query/statistics";
import { numberOf } from "../../parts/number-text.ts";
import { betaText } from "../beta.ts";
import { columnLabel, columnsFor } from "../columns.ts";
import type { TermName } from "../glossary.ts";
import { columnTypes } from "../retype.ts";
import type { CellKey } from "../row-actions.ts";
import { readsOf, type WorkRow } from "../workbench.ts";

/** One column of the grid: its heading and how its cells take an edit. */
export interface GridColumn {
  readonly key: CellKey;
  readonly heading: string;
  readonly kind: "text" | "choice" | "action" | "read";
  readonly isNumber?: boolean;
  /** Percent of the table's width. */
  readonly width: number;
  /** The card that explains the heading. */
  readonly help?: TermName;
}

const helpOf: Partial<Record<CellKey, TermName>> = {
  target: "target",
  error: "error",
  beta: "confidence",
  share: "share",
  hold: "hold",
  fitness: "fitness",
  type: "type",
  upper: "bounds",
  granularity: "granularity",
  bins: "bins",
};

const numeric: ReadonlySet<CellKey> = new Set<CellKey>([
  "target",
  "error",
  "beta",
  "share",
  "upper",
  "lower",
  "granularity",
  "bins",
]);

const column = (key: CellKey, heading: string, kind: GridColumn["kind"], width: number): GridColumn => ({
  key,
  heading,
  kind,
  width,
  isNumber: numeric.has(key),
  ...(helpOf[key] === undefined ? {} : { help: helpOf[key] }),
});

/** Error in the analyst's words, with a target and a grade. */
export const plainColumns: readonly GridColumn[] = [
  column("column", "Variable", "choice", 13),
  column("statistic", "Statistic", "choice", 13),
  column("settings", "Settings", "action", 17),
  column("target", "Target ±", "text", 10),
  column("error", "Error ±", "text", 10),
  column("share", "Share of ε", "text", 11),
  column("hold", "Hold", "action", 12),
  column("fitness", "Fitness", "action", 10),
  column("remove", "Remove", "action", 4),
];

/** The columns of the first Privacy Budgeting Interface. */
export const classicColumns: readonly GridColumn[] = [
  column("column", "Variable", "choice", 10),
  column("type", "Type", "read", 9),
  column("statistic", "Statistic", "choice", 10),
  column("upper", "Upper bound", "text", 9),
  column("lower", "Lower bound", "text", 8),
  column("granularity", "Granularity", "text", 10),
  column("bins", "Number of bins", "text", 9),
  column("share", "Epsilon", "text", 9),
  column("error", "Accuracy", "text", 8),
  column("beta", "Beta", "read", 6),
  column("hold", "Hold", "action", 9),
  column("remove", "X", "action", 3),
];

/** The same on a plan without an account, where the type is part of what is tried out. */
export const openClassicColumns: readonly GridColumn[] = classicColumns.map((each) =>
  each.key === "type" ? { ...each, kind: "choice" } : each,
);

export const holdWords = {
  free: "free",
  soft: "as typed",
  share: "share held",
  error: "error held",
} as const satisfies Record<WorkRow["mode"], string>;

/** Space cycles: free, its share held, its error held, free again. */
export const nextHold = (mode: WorkRow["mode"]): "free" | "share" | "error" =>
  mode === "share" ? "error" : mode === "error" ? "free" : "share";

const gradeWords = {
  met: "target met",
  missed: "over target",
  good: "good",
  fair: "fair",
  poor: "poor",
  useless: "useless",
  unknown: "capping unknown",
} as const;

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Why it is listed, but not offered. */
  readonly reason?: string;
}

export function choicesOf(key: CellKey, row: WorkRow, declaration: Declaration): readonly Choice[] {
  if (key === "hold")
    return (["free", "soft", "share", "error"] as const).map((mode) => ({ value: mode, label: holdWords[mode] }));
  if (key === "type") return columnTypes.map((type) => ({ value: type, label: type }));
  const chosen = row.settings.column ?? "";
  const variable = declaration.columns[chosen];
  if (key === "statistic")
    return [
      { value: "", label: "Choose…" },
      ...Object.entries(statistics).map(([value, { label, column: reads }]) =>
        variable === undefined || fits(reads, variable)
          ? { value, label }
          : { value, label, reason: `needs ${needWords[reads]}` },
      ),
    ];
  const reads = row.settings.statistic ? readsOf(row.settings.statistic) : "any";
  const columns = columnsFor(reads, declaration);
  return [
    { value: "", label: reads === "present" ? "all rows" : columns.length === 0 ? "none" : "Choose…" },
    ...(variable === undefined || columns.includes(chosen)
      ? []
      : [{ value: chosen, label: chosen, reason: `is ${variable.type}` }]),
    ...columns.map((name) => ({ value: name, label: columnLabel(name, declaration) })),
  ];
}

/** Three digits, rounded up so that no error is understated; without grouping, so that it can be edited. */
export function plain(value: number): string {
  if (value >= 1e15) return String(value);
  const near = Number(value.toPrecision(3));
  if (near >= value || value === 0) return String(near);
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  return String(Number((near + unit).toPrecision(3)));
}

/** For reading: as the sentence of a quote says it, so that one answer has one error everywhere. */
export const formatError = errorText;
/** The same as a text that can be edited. */
export const errorField = (halfWidth: number): string => errorText(halfWidth).replaceAll(",", "");

/** The text of a cell, as shown and as first offered for editing. */
export function textOf(key: CellKey, row: WorkRow, declaration: Declaration): string {
  const { settings } = row;
  switch (key) {
    case "column":
      return settings.column ?? "";
    case "statistic":
      return settings.statistic ?? "";
    case "type":
      return declaration.columns[settings.column ?? ""]?.type ?? "";
    case "upper":
    case "lower":
    case "granularity": {
      const declared = declaration.columns[settings.column ?? ""]?.[key];
      return settings[key] || (declared === undefined ? "" : String(declared));
    }
    case "bins":
      return settings.bins ?? "";
    case "settings":
      return settingsText(row, declaration);
    case "target":
      return row.target === null ? "" : plain(row.target);
    case "error": {
      const half = row.quote?.accuracy.halfWidth ?? null;
      return half === null ? "" : errorField(half);
    }
    case "beta":
      return row.quote === null ? "" : betaText(row.quote.accuracy.confidence);
    case "share":
      return row.rho ?? row.epsilon;
    case "hold":
      return holdWords[row.mode];
    case "fitness":
      return row.fitness === null
        ? ""
        : row.fitness.grade === "missed"
          ? `×${row.fitness.ratio > FAR ? `${FAR}+` : formatNumber(row.fitness.ratio, 2)} over`
          : gradeWords[row.fitness.grade];
    case "remove":
      return "";
    default:
      return key satisfies never;
  }
}

/** How many times too large an error is does not matter from here on. */
const FAR = 10;

/** "Fair: ± $4,550 is 35 % of $13,000, a twentieth of the declared range." Null where there is no grade. */
export function gradeText({ fitness, target, quote }: WorkRow, unit: string | null): string | null {
  const scale = target === null ? quote?.accuracy.scale : { useless: target, by: "your target" };
  if (fitness === null || scale == null) return null;
  if (scale.useless === 0) return scale.by;
  const isFar = fitness.ratio > FAR;
  const part = isFar
    ? `more than ${FAR} times`
    : `${formatNumber(100 * fitness.ratio, fitness.ratio < 1 ? 2 : 3)} % of`;
  const grade = gradeWords[fitness.grade];
  return `${capital(grade)}: ± ${formatError(fitness.error, unit)} is ${part} ${formatError(scale.useless, unit)}, ${scale.by}.`;
}

/** A bound that was declared or typed; a text that is no number stays as it is. */
const grouped = (bound: string | number, unit: string | undefined): string => {
  const value = numberOf(String(bound));
  return Number.isNaN(value) ? String(bound) : areYears(unit) ? yearText(value, 15) : formatNumber(value, 15);
};

const settingWords: Readonly<Record<string, (text: string, statistic?: string) => string>> = {
  // A count, or edges apart by spaces or commas.
  bins: (text) => {
    const columns = binnedColumns(text);
    if (columns.length > 0) return `bins of ${columns.join(", ")}`;
    const edges = text.split(/[\s,]+/).filter((edge) => edge !== "");
    if (edges.length > 1) return `${edges.length - 1} bins`;
    return /^[a-z]/.test(text) ? `by ${text}` : `${text} bins`;
  },
  groupBy: (text) => `by ${text}`,
  keys: () => "groups that enough share",
  delta: (text) => `δ ${text}`,
  granularity: (text) => `by steps of ${text}`,
  with: (text, statistic) =>
    ["tables", "tableSums", "syntheticTable"].includes(statistic ?? "") ? text : `and ${text}`,
  noise: (text) => (text === "gaussian" ? "Gaussian" : text),
  where: (text) => text,
  quantiles: (text) => text,
};

function settingsText({ settings }: WorkRow, declaration: Declaration): string {
  const declared = declaration.columns[settings.column ?? ""];
  const shown = (end: "lower" | "upper"): string | undefined => {
    const bound = declared?.[end];
    if (settings[end]) return settings[end];
    if (bound === undefined) return undefined;
    return declared?.calendar === undefined ? String(bound) : formatPeriod(bound, declared.calendar);
  };
  const [lower, upper] = [shown("lower"), shown("upper")];
  const parts = settingsFor(settings, declaration).flatMap(({ key, label }) => {
    if (key === "upper" && lower !== undefined && upper !== undefined)
      return [[lower, upper].map((bound) => grouped(bound, declared?.unit)).join(" … ")];
    const text = settings[key] ?? "";
    if (text === "" || key === "lower") return [];
    return [settingWords[key]?.(text, settings.statistic) ?? `${label.toLowerCase()} ${text}`];
  });
  return parts.join(" · ") || "as declared";
}
