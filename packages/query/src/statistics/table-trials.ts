import type { Key } from "../declaration/key.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import type { Task } from "../plan/task.ts";
import { isStatisticName, type statistics, type TableName } from "./registry.ts";
import { auditedCounts, type DrawnCounts } from "./table/audited.ts";
import { practiceTable } from "./table/practice.ts";

/** How practice and audit try a statistic that measures a whole table. Pages load none of it, so it is not in the statistic's row. */
interface TableTrials<T extends Task> {
  /** The exact integers of practice rows. */
  readonly practice: (task: T, rows: readonly Readonly<Record<string, Key | null>>[]) => readonly bigint[];
  /** What an attacker knows of a draw, where it is more than its integers. */
  readonly audited?: (drawn: readonly bigint[], statistic: BoundedStatistic<T>) => readonly DrawnCounts[];
}

/** Statistics whose rows are counted in several tables. */
type CountedName = TableName | "tables";
type TaskOf<N extends CountedName> = ReturnType<(typeof statistics)[N]["task"]>;

const trials: { readonly [N in CountedName]: TableTrials<TaskOf<N>> } = {
  syntheticTable: { practice: practiceTable, audited: auditedCounts },
  tables: { practice: practiceTable },
};

/** Undefined of statistics that measure no whole table. The cast: a statistic has the task that its row gives. */
export const tableTrialsOf = ({ statistic }: Pick<BoundedStatistic, "statistic">): TableTrials<Task> | undefined =>
  isStatisticName(statistic) ? (trials as Partial<Record<string, TableTrials<Task>>>)[statistic] : undefined;
