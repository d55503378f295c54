import { type ErrorCode, PrivacyError } from "@dosimeter/core";

/** A refusal at a place of a text: its message says line and column, and its facts have them for a page that marks the place. */
export function refuseAt(source: string, at: number, message: string, code: ErrorCode = "INVALID_PARAMETER"): never {
  const { line, column } = placeOf(source, at);
  throw new PrivacyError(
    code,
    { name: "sql", line, column, want: message },
    `line ${line}, column ${column}: ${message}`,
  );
}

/** Both count from 1; a column is a character as people count them. */
function placeOf(source: string, at: number): { readonly line: number; readonly column: number } {
  const before = source.slice(0, at).split("\n");
  return { line: before.length, column: [...(before.at(-1) ?? "")].length + 1 };
}

/** Runs a check of a row and says its refusal at the place in the text that asked for it. */
export function refusedAt<T>(source: string, at: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PrivacyError) || error.details.line !== undefined) throw error;
    return refuseAt(source, at, error.message, error.code);
  }
}

/** What SQL has and this language does not, by the words where it begins, with what would work. */
const UNREAD: ReadonlyMap<string, string> = new Map(
  (
    [
      [
        "select",
        "subqueries are not read; filter with WHERE, and derive columns with WITH t AS (SELECT *, cut(age, 10) AS age10 FROM t)",
      ],
      ["exists", "subqueries are not read; filter with WHERE"],
      ["join", "a table is joined by who is protected and in no other way; write LEFT JOIN people USING (person)"],
      ["over window", "window functions are not read; group with GROUP BY"],
      ["union", "UNION is not read; write several SELECT with ; between them, which are one plan"],
      ["intersect", "INTERSECT is not read; filter with WHERE … AND …"],
      ["except", "EXCEPT is not read; filter with WHERE"],
      ["like", "LIKE is not read; compare with = or IN"],
      ["ilike", "ILIKE is not read; compare with = or IN"],
      ["similar", "SIMILAR TO is not read; compare with = or IN"],
      ["rlike", "RLIKE is not read; compare with = or IN"],
      ["qualify", "QUALIFY is not read; keep groups with HAVING"],
      ["cast safe_cast try_cast ::", "casts are not read; the declaration gives the type of each column"],
      ["timestamp", "a time is written TIMESTAMP '2024-03-15 10:30:00'"],
      ["interval", "intervals are not read; add a number of days, as in seen + 30"],
      [
        "now",
        "the time of the query is not read, as an answer must be the same at every time; write DATE '2024-03-15'",
      ],
      ["date_part", "write EXTRACT(YEAR FROM day)"],
      ["tablesample", "TABLESAMPLE is not read; ask for a secret sample with OPTIONS(sample_rate = 0.1)"],
      ["unnest", "UNNEST is not read; a dataset is a table with one value in each cell"],
      ["pivot", "PIVOT is not read; group with GROUP BY"],
      [
        "recursive",
        "recursive queries are not read; derive columns with WITH t AS (SELECT *, cut(age, 10) AS age10 FROM t)",
      ],
      ["values", "VALUES is not read; ask about a dataset"],
      ["fetch", "FETCH is not read; keep some rows with LIMIT"],
      ["top", "TOP is not read; keep some rows with ORDER BY and LIMIT"],
      ["collate", "COLLATE is not read; texts are compared as they are"],
      ["countif", "COUNTIF is not read; write COUNT(*) FILTER (WHERE …)"],
      ["count_if", "COUNT_IF is not read; write COUNT(*) FILTER (WHERE …)"],
      ["array_agg", "values of rows never leave; ask for HISTOGRAM(column) or TOP_VALUES(column)"],
      ["string_agg listagg", "values of rows never leave; ask for TOP_VALUES(column)"],
      ["any_value", "values of rows never leave; ask for MEDIAN(column) or TOP_VALUES(column)"],
      ["anon_count", "the ANON_ functions are not read; write COUNT with SELECT WITH DIFFERENTIAL_PRIVACY"],
      ["anon_sum", "the ANON_ functions are not read; write SUM with SELECT WITH DIFFERENTIAL_PRIVACY"],
      ["anon_avg", "the ANON_ functions are not read; write AVG with SELECT WITH DIFFERENTIAL_PRIVACY"],
      ["anonymization", "ANONYMIZATION is the older spelling; write SELECT WITH DIFFERENTIAL_PRIVACY"],
      ["aggregation_threshold", "AGGREGATION_THRESHOLD adds no noise; write SELECT WITH DIFFERENTIAL_PRIVACY"],
      ["insert update delete drop create alter truncate copy", "only SELECT is read; nothing here changes a table"],
      ["grant", "only SELECT is read; rights are given on the page of the dataset"],
      ["explain", "EXPLAIN is not read; a quote says what the query costs and how far its answers are off"],
      ["||", "|| is not read; make one text of several columns with join(a, b)"],
      ["%", "% is not read; write a - floor_to(a, 10) for the rest of a division by 10"],
      ["$ ? @", "parameters are not read; write the value"],
    ] as const
  ).flatMap(([words, refusal]) => words.split(" ").map((word) => [word, refusal] as const)),
);

/** The refusal of a word or symbol that SQL has; undefined when it is a mere mistake. */
export const unread = (word: string): string | undefined => {
  const lower = word.toLowerCase();
  const symbol = /^[\p{L}_]/u.test(lower) ? undefined : UNREAD.get([...lower][0] ?? "");
  return UNREAD.get(lower) ?? UNREAD.get(lower.slice(0, 2)) ?? symbol;
};

const joining = new Set(["join", "inner", "left", "right", "full", "cross", "natural", "lateral"]);
export const isJoin = (word: string): boolean => joining.has(word.toLowerCase());

/** A name as people should see it: letters that only look like others are shown with their number. */
export function named(name: string): string {
  const others = [...name].filter((letter) => (letter.codePointAt(0) ?? 0) > 127);
  const codes = [...new Set(others)].slice(0, 4).map((letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `${letter} is U+${code}`;
  });
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
  return codes.length === 0 ? shown : `${shown} (${codes.join(", ")})`;
}
