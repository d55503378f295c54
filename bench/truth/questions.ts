import type { Answer } from "@dosimeter/client";
import type { SettingTexts } from "@dosimeter/planner";
import type { Declaration } from "@dosimeter/query/declaration";
import type { DuckDBConnection } from "@duckdb/node-api";
import { columnSql, type Mistake } from "./mistakes.ts";
import { name, rowsOf, text } from "./table-facts.ts";
import type { Table } from "./tables.ts";

type Cell = Answer["cells"][number];
/** What the table truly holds where a cell of the answer claims to; null where nothing can be compared. */
type Exact = (cell: Cell) => number | null;

/** What an analyst asks, as the plan page's fields hold it, and its exact answer from the meant table. */
export interface Question {
  readonly name: string;
  readonly asks: SettingTexts;
  /** The column of the table that its answer depends on; "" where it is about rows alone. */
  readonly about: readonly string[];
  readonly exact: (meant: Meant) => Promise<Exact>;
}

/** The table as it is meant, apart from how it is stored and declared. */
export interface Meant {
  readonly raw: DuckDBConnection;
  readonly mistake: Mistake;
}

const sqlOf = (column: string, { mistake }: Meant): string => columnSql(column, mistake).meant;
const numberOf = (column: string, meant: Meant): string => `TRY_CAST(${sqlOf(column, meant)} AS DOUBLE)`;
const one = async (meant: Meant, sql: string): Promise<number | null> => {
  const [row = {}] = await rowsOf(meant.raw, `SELECT CAST(${sql} AS DOUBLE) AS x FROM raw`);
  return row.x === null ? null : Number(row.x);
};
const single =
  (sql: (meant: Meant) => string): Question["exact"] =>
  async (meant) => {
    const value = await one(meant, sql(meant));
    return () => value;
  };

/** Of every value of a category; of none that is not there, `none`. */
async function byValue(meant: Meant, column: string, sql: string, none: number | null) {
  const rows = await rowsOf(
    meant.raw,
    `SELECT ${sqlOf(column, meant)} AS k, CAST(${sql} AS DOUBLE) AS x FROM raw GROUP BY k`,
  );
  const known = new Map(rows.map(({ k, x }) => [k === null ? null : String(k), x === null ? none : Number(x)]));
  return (declared: unknown): number | null => {
    if (declared === null || declared === undefined) return null;
    const said = String(declared);
    const { column: wrong, means = {} } = meant.mistake;
    const value = column === wrong ? (means[said] ?? said) : said;
    return known.has(value) ? (known.get(value) ?? none) : none;
  };
}
const grouped =
  (column: string, sql: (meant: Meant) => string, none: number | null): Question["exact"] =>
  async (meant) => {
    const of = await byValue(meant, column, sql(meant), none);
    return ({ group, bin }) =>
      of(Object.hasOwn(group, column) ? group[column] : (bin as { value?: unknown } | undefined)?.value);
  };

/** Rows between two ends of a bin, the last of which holds its own end. */
const binned =
  (column: string): Question["exact"] =>
  async (meant) => {
    const value = numberOf(column, meant);
    const rows = await rowsOf(
      meant.raw,
      `SELECT ${value} AS x, count(*)::INT AS n FROM raw WHERE ${value} IS NOT NULL GROUP BY x`,
    );
    const counts = rows.map(({ x, n }) => [Number(x), Number(n)] as const);
    return ({ bin }) => {
      const {
        lower,
        upper,
        value: single,
        label = "",
      } = (bin ?? {}) as Partial<Record<"lower" | "upper" | "value", number>> & { readonly label?: string };
      // The last bin holds its own end: of whole numbers its label names it.
      const isLast = label.endsWith("]") || Number(label.split("–").at(-1)?.replaceAll(",", "")) === upper;
      const holds = (x: number): boolean =>
        lower === undefined || upper === undefined
          ? x === Number(single)
          : x >= lower && (isLast ? x <= upper : x < upper);
      return counts.reduce((sum, [x, n]) => sum + (holds(x) ? n : 0), 0);
    };
  };

const cumulated =
  (column: string): Question["exact"] =>
  async (meant) => {
    const value = numberOf(column, meant);
    const rows = await rowsOf(
      meant.raw,
      `SELECT ${value} AS x, count(*)::INT AS n FROM raw WHERE ${value} IS NOT NULL GROUP BY x`,
    );
    return ({ bin }) => {
      const upper = (bin as { upper?: number } | undefined)?.upper;
      if (upper === undefined) return null;
      return rows.reduce((sum, { x, n }) => sum + (Number(x) <= upper ? Number(n) : 0), 0);
    };
  };

/** Twelve questions about the first category and the first number, and the second category. */
export function questionsOf(
  { categories, numbers }: Table,
  { columns }: Pick<Declaration, "columns">,
): readonly Question[] {
  const [category = "", second = category] = categories;
  const [number = ""] = numbers;
  const common = String(columns[category]?.categories?.[0] ?? "");
  const n = (meant: Meant): string => numberOf(number, meant);
  return [
    { name: "count", asks: { statistic: "count" }, about: [], exact: single(() => "count(*)") },
    {
      name: "mean",
      asks: { statistic: "mean", column: number },
      about: [number],
      exact: single((m) => `avg(${n(m)})`),
    },
    {
      name: "histogram of a category",
      asks: { statistic: "histogram", column: second },
      about: [second],
      exact: grouped(second, () => "count(*)", 0),
    },
    {
      name: "count by",
      asks: { statistic: "count", groupBy: category },
      about: [category],
      exact: grouped(category, () => "count(*)", 0),
    },
    {
      name: "mean by",
      asks: { statistic: "mean", column: number, groupBy: category },
      about: [number, category],
      exact: grouped(category, (m) => `avg(${n(m)})`, null),
    },
    { name: "sum", asks: { statistic: "sum", column: number }, about: [number], exact: single((m) => `sum(${n(m)})`) },
    {
      name: "median",
      asks: { statistic: "median", column: number },
      about: [number],
      exact: single((m) => `quantile_disc(${n(m)}, 0.5)`),
    },
    {
      name: "histogram",
      asks: { statistic: "histogram", column: number, bins: "10" },
      about: [number],
      exact: binned(number),
    },
    {
      name: "cumulative counts",
      asks: { statistic: "cdf", column: number },
      about: [number],
      exact: cumulated(number),
    },
    {
      name: "standard deviation",
      asks: { statistic: "standardDeviation", column: number },
      about: [number],
      exact: single((m) => `stddev_pop(${n(m)})`),
    },
    {
      name: "count where",
      asks: { statistic: "count", where: `${quoted(category)} = ${text(common)}` },
      about: [category],
      exact: single(
        (m) => `count(*) FILTER (WHERE ${sqlOf(category, m)} = ${text(m.mistake.means?.[common] ?? common)})`,
      ),
    },
    {
      name: "different values",
      asks: { statistic: "distinctValues", column: category },
      about: [category],
      exact: single((m) => `count(DISTINCT ${sqlOf(category, m)})`),
    },
  ];
}

const quoted = (column: string): string => (/^[A-Za-z_]\w*$/.test(column) ? column : name(column));
