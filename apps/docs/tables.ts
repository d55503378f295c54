import type { COLUMN_KEYS, DECLARATION_KEYS } from "../../packages/query/src/declaration/check-declaration.ts";
import { statisticNames, statisticOf, takesNoise } from "../../packages/query/src/statistics/registry.ts";
import type { Statistic } from "../../packages/query/src/statistics/statistic.ts";
import { door } from "../../packages/server/src/mcp/door.ts";
import type { effects } from "../../packages/server/src/mcp/tool.ts";
import { tools } from "../../packages/server/src/mcp/tools.ts";
import { logCodes } from "../../packages/server/src/telemetry/log-codes.ts";
import { AGGREGATES, ownUsage } from "../../packages/sql-text/src/aggregates.ts";
import { SQL_FUNCTIONS } from "../../packages/sql-text/src/functions.ts";
import { ownName } from "../../packages/sql-text/src/settings.ts";

type Row = readonly string[];

export const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
const code = (words: string): string => `\`${words}\``;
const codes = (words: readonly string[]): string => (words.length === 0 ? "–" : words.map(code).join(", "));

/** What the keys of a declaration mean. */
const ofTable = {
  name: "what the table is called",
  source:
    "`{csv}` with `delimiter`, `comment`, `quote`, `numbers`, `missing` and `keys` [if needed](#files), or `{parquet}`: a path in the data folder, a folder of such files, or a pattern such as `years/20*.csv`; `{duckdb, schema?, table}`: a table of a database file; `{postgres: {connection, schema?, table}}`: [a table or view that stays where it is](operations.md#tables-that-stay-in-postgresql); `{trino: {connection, schema?, table, snapshot?}}`: [the same in a cluster of Trino](operations.md#tables-that-stay-in-trino)",
  privacyUnit:
    'who is protected: `"row"`, or the column that names a person, by value or exact spelling; rows without one are dropped. Several columns of a file that name one together are a key, `"source": {"csv": "homes.csv", "keys": {"home": ["street", "number"]}}` ([M405]); declare `home` as a text. Of a database, a view joins them',
  unitNoun:
    'what one and several of the protected units are called: `{"one": "patient", "many": "patients"}`; person and people when absent',
  adjacency:
    "`addRemove` (default): a table with and without one unit are neighbours. `replace`: one unit exchanged for another",
  contribution:
    "what one unit may add: `rows` in all, `groups`, `rowsPerGroup`. More is left out, chosen by a keyed hash of the unit's own rows",
  blocks: "that one protected unit is one person in each month, or another period, of a date column: [blocks](#blocks)",
  size: "number of rows: `{assumed: n}` for quotes; `{public: n}` only under `replace`, checked at registration",
  impossible:
    "what no row can be: facts about two columns each, joined by `or`, as a [filter](statistics.md#write-a-plan): `age < 15 and married = true`; [such cells](#nested-columns-and-impossible-combinations) of sets of tables are 0",
  mostRows:
    "most rows that the table may hold, checked at registration and with each version; how long a release takes follows from it. When absent twice the `size` but at least 1,000, or 100,000 without one",
  columns: "each column by its name, with the keys below",
} as const satisfies Record<(typeof DECLARATION_KEYS)[number], string>;

const ofColumn = {
  type: "`integer`, `number`, `decimal`, `date`, `timestamp`, `boolean`, `category`, `text`",
  lower: "lower clamping bound; sums, means, integers and dates that are groups, and every timestamp need both",
  upper: "upper clamping bound of the same",
  granularity:
    "the step values are rounded to before they are added; both bounds are multiples of it. Of a date: `day` (default), `week`, `month`, `quarter` or `year`; of a timestamp also `second` (default), `minute` or `hour`",
  scale: "of a decimal: the digits behind the point, 0 to 9: [decimals](#decimals)",
  zone: "of a timestamp: the time zone that its days and hours are in, such as `Europe/Berlin` or `UTC`: [timestamps](#timestamps)",
  pattern:
    "how stored texts write dates or times: [dates](#dates), [timestamps](#timestamps); of a file also numbers, `1.234,5`, and truth values, `yes/no`: [files](#files)",
  pivot: "the first year that two digits may mean: [dates](#dates)",
  missing:
    "what stands for a missing value, such as `-9`, `9999-12-31` or `unknown`: [missing values](#missing-values); at most 20",
  categories:
    "all values of a category, all texts or all numbers; a row with any other value is in no group; spaces around a text of the table do not count",
  spellings:
    'other ways in which the table writes a category of texts, each of which counts as it: `{"M": ["m", "male"]}`; at most 200',
  mostValues:
    "most different values of an integer or a text, checked like `mostRows`: a release that finds them takes the time and the memory of all of them; as many as rows when absent",
  required:
    "a row without a value, of a category without one of its categories, counts in no answer ([M330]): so groups add up to the total; makes sums and means cheaper where the number of rows is public",
  within:
    'of a category: the coarser column that its categories lie in, and which: `{"column": "state", "of": {"Georgia": ["Fulton", "DeKalb"]}}`: [nested columns](#nested-columns-and-impossible-combinations)',
  label: "what the column is called",
  unit: "the unit of its numbers, at most 20 characters; `year` where they name years: 1974 is then read as 1974, not 1,974",
  description: "what the column says, at most 500 characters",
  valueLabels: 'what the values of a category, an integer or a boolean are called: `{"0": "female", "1": "male"}`',
  provenance: "source of the bounds and categories: `public`, `asserted` (default), `dp-estimated`",
  release: "of a `dp-estimated` column: the id of the release that paid for it",
} as const satisfies Record<(typeof COLUMN_KEYS)[number], string>;

const meanings = (keys: Readonly<Record<string, string>>): string =>
  table(
    ["key", "meaning"],
    Object.entries(keys).map(([key, means]) => [code(key), means]),
  );
const keys = (): string => `${meanings(ofTable)}\nOf each column:\n\n${meanings(ofColumn)}`;

const changes = {
  reads: "nothing",
  asksAPerson: "writes a request that people decide",
  spends: "charges its budget, once for each `key`",
} as const satisfies Record<keyof typeof effects, string>;

const ofAgents = (): string =>
  table(
    ["tool", "routes", "may change"],
    Object.entries({ ...door, ...tools }).map(([name, { routes, effect }]) => [
      code(name),
      codes(routes),
      changes[effect],
    ]),
  );

const columnOf = {
  none: "–",
  numeric: "with bounds",
  binned: "of numbers, dates or declared values",
  any: "any",
  key: "whose values are the groups",
  present: "none, or any",
} as const satisfies Record<Statistic["column"], string>;

const ofPlans = (): string =>
  table(
    ["statistic", "answers", "column", "fields of its own", "paid in"],
    statisticNames.map((name) => {
      const statistic: Statistic = statisticOf(name);
      const { help, column, takes } = statistic;
      return [
        code(name),
        help.replaceAll("|", "\\|"),
        columnOf[column],
        codes(takes),
        takesNoise(statistic) ? "ε or ρ" : "ε",
      ];
    }),
  );

/** Statistics that have no name in SQL by their own, and functions of one row. */
const ofSql = (): string => {
  const own = statisticNames.filter((name) => !Object.hasOwn(AGGREGATES, ownName(name)));
  const rows = Object.values(SQL_FUNCTIONS).map(({ usage }) => `* \`${usage}\`\n`);
  return `Statistics by their own names: ${codes(own.map(ownUsage))}.\n\nFunctions of one row:\n\n${rows.join("")}`;
};

const ofLog = (): string =>
  table(
    ["code", "means", "what to do"],
    Object.entries(logCodes).map(([name, [says, mend]]) => [code(name), says, mend]),
  );

/** Tables within written pages that are made of tables of the code, each between two comments with its name. */
export const tables: readonly { readonly page: string; readonly name: string; readonly made: () => string }[] = [
  { page: "docs/agents.md", name: "tools", made: ofAgents },
  { page: "docs/declaration.md", name: "keys", made: keys },
  { page: "docs/logs.md", name: "codes", made: ofLog },
  { page: "docs/sql.md", name: "functions", made: ofSql },
  { page: "docs/statistics.md", name: "statistics", made: ofPlans },
];
