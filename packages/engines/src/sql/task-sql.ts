import type { Bounds, Dialect, Fragment, Packed } from "@dosimeter/query/dialect";
import type { TableColumn, Task } from "@dosimeter/query/plan";
import { boundedTableRows, packedSeries, tableCells, tableFields } from "@dosimeter/query/statistics";
import { cutUnits, unitTotals, unitValues } from "./bounded-units.ts";

/** The SQL of a kind of task, where it differs from what most have: rows of a unit u, a group g and, where a column is read, a payload v. */
interface TaskSql<T extends Task> {
  readonly packed?: (task: T) => Packed;
  /** What one unit adds, where it is not bounded by the number of its rows and groups. */
  readonly bounded?: (task: T, rows: Fragment, bounds: Bounds) => Fragment;
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
  cuts: { bounded: cutUnits },
  values: { bounded: unitValues },
  sums: {},
  totals: { bounded: unitTotals },
  choice: {},
  curve: {},
  series: { packed: packedSeries },
  top: {},
  joint: {},
  table: { bounded: boundedTableRows, fields: tableFields, cells: tableCells },
  tables: { bounded: boundedTableRows, fields: tableFields, cells: tableCells },
};

/** The cast: the row of a kind takes the tasks of that kind. */
export const taskSqlOf = ({ kind }: Task): TaskSql<Task> => kinds[kind] as TaskSql<Task>;
export const packedOf = (task: Task): Packed | null => taskSqlOf(task).packed?.(task) ?? null;
