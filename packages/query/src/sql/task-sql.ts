import type { Dialect, Fragment } from "../dialect/dialect.ts";
import type { Packed } from "../dialect/packed.ts";
import type { TableColumn, Task } from "../plan/task.ts";
import { packedSeries } from "../statistics/series/series-sql.ts";
import { tableCells, tableFields } from "../statistics/table/table-sql.ts";

/** What a kind of task writes itself, where others have a group and a payload. */
interface TaskSql<T extends Task> {
  /** How its rows pack two numbers into one. */
  readonly packed?: (task: T) => Packed;
  /** Its fields of a row, and the SQL that counts its cells. */
  readonly fields?: (
    task: T,
    value: (name: string) => Fragment,
    placeOf: (column: TableColumn, x: Fragment) => Fragment,
  ) => { readonly raw: readonly Fragment[]; readonly fields: readonly Fragment[]; readonly kept: readonly Fragment[] };
  readonly cells?: (dialect: Dialect, task: T, bounded: Fragment) => Fragment;
}

const kinds: { readonly [K in Task["kind"]]: TaskSql<Extract<Task, { readonly kind: K }>> } = {
  counts: {},
  clips: {},
  cuts: {},
  values: {},
  sums: {},
  totals: {},
  choice: {},
  curve: {},
  series: { packed: packedSeries },
  top: {},
  joint: {},
  table: { fields: tableFields, cells: tableCells },
};

export const taskSqlOf = ({ kind }: Task): TaskSql<Task> => kinds[kind] as TaskSql<Task>;
export const packedOf = (task: Task): Packed | null => taskSqlOf(task).packed?.(task) ?? null;
