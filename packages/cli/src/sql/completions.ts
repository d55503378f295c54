import { sqlName } from "@dosimeter/sql-text";

interface Named {
  readonly name: string;
  readonly columns: readonly string[];
}

const COMMANDS = ["\\d", "\\budget", "\\cost", "\\epsilon", "\\q", "\\?"];
const WORDS =
  "SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT AS AND OR NOT IN BETWEEN IS NULL COUNT( SUM( AVG( MEDIAN( MIN( MAX( STDDEV_SAMP( CORR( DP_INTERVAL_LOW( DP_INTERVAL_HIGH(".split(
    " ",
  );

/** What the last word of a line may become: after FROM and after commands a dataset, else columns and words of SQL. */
export function completions(line: string, datasets: readonly Named[]): [string[], string] {
  const [word = ""] = /[^\s(,;]*$/.exec(line) ?? [];
  const before = line.slice(0, line.length - word.length);
  const names = datasets.map(({ name }) => sqlName(name));
  const isDataset = /(?:\bfrom|\\d|\\budget)\s+$/i.test(before);
  const about = datasets.filter(({ name }) => line.includes(name));
  const columns = (about.length > 0 ? about : datasets).flatMap((each) => each.columns.map(sqlName));
  const all = word.startsWith("\\") ? COMMANDS : isDataset ? names : [...new Set(columns), ...WORDS];
  const found = all.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()));
  return [found, word];
}
