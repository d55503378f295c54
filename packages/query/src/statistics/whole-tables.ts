import type { Key } from "../declaration/key.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import type { Task } from "../plan/task.ts";
import { isTableName, type TableName } from "./index.ts";
import { auditedCounts, type DrawnCounts } from "./table/audited.ts";
import { practiceTable } from "./table/practice.ts";

/** What trials need of a statistic that measures a whole table: pages do without, so it is not in its row. */
interface TriedTable {
  /** The exact integers of practice rows. */
  practice(task: Task, rows: readonly Readonly<Record<string, Key | null>>[]): readonly bigint[];
  /** For the self-audit. */
  audited(drawn: readonly bigint[], statistic: BoundedStatistic): readonly DrawnCounts[];
}

const tables: { readonly [N in TableName]: TriedTable } = {
  syntheticTable: { practice: practiceTable, audited: auditedCounts },
};

/** Undefined of statistics that measure no whole table. */
export const triedTableOf = ({ statistic }: Pick<BoundedStatistic, "statistic">): TriedTable | undefined =>
  isTableName(statistic) ? tables[statistic] : undefined;
