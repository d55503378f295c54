import type { Declaration } from "@dosimeter/query/declaration";
import type { Plan, ReleasedTable, RowsQuestion } from "@dosimeter/query/statistics";
import type { CurveDefinition } from "@dosimeter/tradeoff";
import type { Piece, RiskTask } from "./run-task.ts";
import type { Question } from "./study.ts";

/** Milliseconds between two reports of a task that reports while it runs. */
const REPORT_MS = 60;

/** A broken invariant of the mathematics is shown in the browser's console; the page gets the trivial bound. */
async function logInvariants(): Promise<void> {
  const { onBrokenInvariant } = await import("@dosimeter/core/accounting");
  onBrokenInvariant((invariant) => console.error("a certified number broke an invariant:", invariant));
}

/**
 * Everything that a page computes in the worker: the input of each task, its progress reports and its result. The code of a
 * task loads on first use.
 */
export const tasks = {
  /** The totals of a list of spends. */
  study: async (question: Question) => {
    await logInvariants();
    const { study } = await import("./study.ts");
    return study(question);
  },
  /** The privacy loss distribution of a composition, and its least μ. */
  composeCurve: async (definition: CurveDefinition) => {
    await logInvariants();
    const { QUESTION_WORK, workBudget } = await import("@dosimeter/core");
    const { leastMu, lossDistribution, readCurve } = await import("@dosimeter/tradeoff");
    const curve = readCurve(definition, "curve", workBudget(QUESTION_WORK));
    return { losses: lossDistribution(curve), mu: leastMu(curve) };
  },
  /** Sampled distances or compared compositions, piece by piece. */
  risk: async (task: RiskTask, report: (piece: Piece) => void) => {
    const { runTask } = await import("./run-task.ts");
    let last = performance.now();
    const isDue = (): boolean => {
      const now = performance.now();
      if (now - last < REPORT_MS) return false;
      last = now;
      return true;
    };
    for (const piece of runTask(task, isDue)) report(piece);
  },
  /** Runs of a plan on practice data. */
  practise: async ({ plan, declaration, ...options }: PracticeJob) => {
    const { practise } = await import("@dosimeter/planner");
    return practise(plan, declaration, options);
  },
  /** Made-up rows of a released table as a file. */
  makeRows: async ({
    table,
    format,
    ...asked
  }: {
    readonly table: ReleasedTable;
    readonly format: "csv" | "parquet";
    readonly rows: number;
    readonly seed: number;
  }) => {
    const { syntheticCsv, syntheticParquet } = await import("@dosimeter/query/statistics");
    if (format === "parquet") return new Blob([await syntheticParquet(table, asked)], { type: PARQUET });
    return new Blob([...syntheticCsv(table, asked)], { type: "text/csv" });
  },
  /** What made-up rows of a released table say about a condition. */
  askRows: async ({ table, ...question }: { readonly table: ReleasedTable } & RowsQuestion) => {
    const { askRows } = await import("@dosimeter/query/statistics");
    return askRows(table, question);
  },
  check: async (exported: string) => {
    const [{ checkExport }, { planAccountant }] = await Promise.all([
      import("@dosimeter/verify"),
      import("@dosimeter/core/derive"),
    ]);
    return checkExport(exported, { accountant: planAccountant() });
  },
  permit: async (text: string) => {
    const { checkPermit } = await import("@dosimeter/verify");
    return checkPermit(text);
  },
};

const PARQUET = "application/vnd.apache.parquet";

export interface PracticeJob {
  readonly plan: Plan;
  readonly declaration: Declaration;
  readonly people: number | null;
  readonly runs: number;
  readonly seed: number;
}

type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type InputOf<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type OutputOf<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;
/** The progress report of a task; `never` where there is none. */
export type ReportOf<Name extends TaskName> =
  Parameters<Tasks[Name]> extends [unknown, (report: infer Report) => void] ? Report : never;
