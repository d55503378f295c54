import { readTokens, type TokenReader, tokenPattern } from "@dosimeter/query/declaration";
import { isJoin, named, refuseAt, unread } from "./refusal.ts";

/** Words that are no names unless they stand in double quotes. */
const WORDS = new Set([
  ..."and or not in is null between true false case when then else end".split(" "),
  ..."select from where group by having order limit as distinct with".split(" "),
]);

/** Words of PostgreSQL that printed SQL puts in double quotes, so that every reader of SQL takes them as names. */
const QUOTED = new Set([
  ...WORDS,
  ..."all analyse analyze any array asc asymmetric both cast check collate column constraint create current_catalog current_date current_role current_time current_timestamp current_user default deferrable desc distinct do except fetch for foreign grant initially intersect into lateral leading localtime localtimestamp offset on only placing primary references returning session_user some symmetric system_user table to trailing union unique user using variadic window authorization binary collation concurrently cross current_schema freeze full ilike inner isnull join left like natural notnull outer overlaps right similar tablesample verbose bit boolean char character coalesce dec decimal exists extract float greatest grouping inout int integer interval json json_array json_object least merge_action national nchar none normalize nullif numeric out overlay position precision real row setof smallint substring time timestamp treat trim values varchar xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable".split(
    " ",
  ),
]);

const PATTERN = tokenPattern({
  sign: "",
  symbols: String.raw`-+*/=<>≤≥≠(),;.\[\]`,
  pairs: "=>|",
  ticks: "`(?<ticked>[^`]+)`|",
});
/** Spaces and comments. An open comment is left, and refused as what no token begins with. */
const BETWEEN = /(?:\s+|--[^\n]*|\/\*[\s\S]*?\*\/)*/y;

/** Characters of one text: a plan of a thousand plain rows fits. */
export const MAX_SQL = 100_000;

export function readSqlTokens(source: string): TokenReader {
  return readTokens(source, {
    path: "sql",
    pattern: PATTERN,
    words: WORDS,
    most: MAX_SQL,
    between: BETWEEN,
    refuse: (at, got, want) => refuseAt(source, at, refusalOf(source, at, got, want)),
  });
}

function refusalOf(source: string, at: number, got: string | null, want: string): string {
  if (got === null) return `the text ends here, expected ${want}`;
  const rest = source.slice(at, at + 2);
  if (rest === "/*") return "this comment is not closed; close it with */";
  const [quote = ""] = rest;
  if (Object.hasOwn(OPENED, quote) && !CLOSED.test(source.slice(at)))
    return `this ${OPENED[quote]} is not closed; close it with ${quote}`;
  const shown = got.trimStart();
  const known = isJoin(shown) ? unread("join") : unread(shown);
  return known ?? `found ${named(shown)}, expected ${want}`;
}

const OPENED: Readonly<Record<string, string>> = { "'": "text", '"': "name", "`": "name" };
const CLOSED = /^(?:'[^']*(?:''[^']*)*'(?!')|"[^"]*(?:""[^"]*)*"(?!")|`[^`]*`)/;

const isQuotedWord = (name: string): boolean => !/^[A-Za-z_]\w*$/.test(name) || QUOTED.has(name.toLowerCase());
export const sqlName = (name: string): string => (isQuotedWord(name) ? `"${name.replaceAll('"', '""')}"` : name);
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
