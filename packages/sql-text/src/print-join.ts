import { PrivacyError } from "@dosimeter/core";
import {
  type Declaration,
  type JoinRequest,
  type Key,
  type Predicate,
  predicateText,
  type TakeName,
  type Taken,
} from "@dosimeter/query/declaration";
import { checkTaken } from "@dosimeter/query/join";
import { joinedNames } from "./joined.ts";
import { sqlName, sqlText } from "./language.ts";

export const literal = (value: Key): string => (typeof value === "string" ? sqlText(value) : String(value));

/** `not` of a filter is true where a value is missing: IS NOT TRUE of SQL. */
export function predicateSql(predicate: Predicate): string {
  switch (predicate.op) {
    case "not":
      return predicate.of.op === "isNull"
        ? `${sqlName(predicate.of.column)} IS NOT NULL`
        : `(${predicateSql(predicate.of)}) IS NOT TRUE`;
    case "and":
    case "or":
      return predicate.of
        .map((part) => (part.op === "and" || part.op === "or" ? `(${predicateSql(part)})` : predicateSql(part)))
        .join(predicate.op === "and" ? " AND " : " OR ");
    case "isNull":
      return `${sqlName(predicate.column)} IS NULL`;
    case "in":
      return `${sqlName(predicate.column)} IN (${predicate.values.map(literal).join(", ")})`;
    case "between":
      return `${sqlName(predicate.column)} BETWEEN ${literal(predicate.lower)} AND ${literal(predicate.upper)}`;
    default:
      return `${sqlName(predicate.column)} ${predicate.op === "!=" ? "<>" : predicate.op} ${literal(predicate.value)}`;
  }
}

/** The columns of one row of each person, where each has the name that a reader of SQL gives it; else none. */
export function plainNames(join: JoinRequest, declared: Declaration): readonly string[] {
  const ones = Object.entries(join.columns).flatMap(([name, one]) => {
    const column = typeof one === "string" ? one : one.take === "one" ? one.column : undefined;
    return column === undefined ? [] : [[name, column] as const];
  });
  const other = declared.joinable?.[join.dataset];
  const nameOf = other === undefined ? String : joinedNames(declared, other.declaration);
  return ones.every(([name, column]) => name === nameOf(column)) ? ones.map(([name]) => name) : [];
}

/** What a plan takes of another table: of the table itself, where `isPlain`, and of what a subquery makes of each person's rows. */
export function joinSql(join: JoinRequest, declared: Declaration, isPlain: boolean): string {
  const { dataset, version, columns } = join;
  const other = declared.joinable?.[dataset];
  const { privacyUnit } = declared;
  if (
    other === undefined ||
    (version !== undefined && version !== other.version) ||
    privacyUnit === "row" ||
    other.declaration.privacyUnit === "row"
  )
    throw new PrivacyError(
      "UNSUPPORTED_QUERY",
      { name: "join" },
      "SQL joins the newest version of a table that is there",
    );
  const [unit, theirs] = [sqlName(privacyUnit.column), sqlName(other.declaration.privacyUnit.column)];
  const table = sqlName(other.declaration.name);
  const plain = new Set(isPlain ? plainNames(join, declared) : []);
  const taken = Object.entries(columns).flatMap(([name, one]) =>
    plain.has(name) ? [] : [[name, checkTaken(one, other.declaration, `join.columns.${name}`)] as const],
  );
  const common = commonFilter(taken.map(([, one]) => one));
  const items = [
    unit === theirs ? unit : `${theirs} AS ${unit}`,
    ...taken.map(([name, one]) => `${takeSql(one, common === null)} AS ${sqlName(name)}`),
  ];
  const where = common === null ? "" : ` WHERE ${predicateSql(common)}`;
  return [
    ...(plain.size === 0 ? [] : [`LEFT JOIN ${table} USING (${unit})`]),
    ...(taken.length === 0
      ? []
      : [`LEFT JOIN (SELECT ${items.join(", ")} FROM ${table}${where} GROUP BY ${theirs}) AS taken USING (${unit})`]),
  ]
    .map((one) => ` ${one}`)
    .join("");
}

/** What says which rows count, where that is the same for everything that is taken. */
function commonFilter(taken: readonly Taken[]): Predicate | null {
  const [text, ...others] = new Set(
    taken.map(({ take, where }) => (take === "any" || where === undefined ? "" : predicateText(where))),
  );
  return text === "" || others.length > 0 ? null : (taken[0]?.where ?? null);
}

const CALLS: Readonly<Record<TakeName, string>> = {
  one: "ANY_VALUE",
  count: "COUNT",
  sum: "SUM",
  min: "MIN",
  max: "MAX",
  first: "MIN_BY",
  last: "MAX_BY",
  any: "BOOL_OR",
};

function takeSql({ take, column = "", by, where, lower, upper }: Taken, isFiltered: boolean): string {
  const filter = where === undefined ? "" : predicateSql(where);
  if (take === "any") return `${CALLS.any}(${filter})`;
  const of = take === "count" ? "*" : [column, ...(by === undefined ? [] : [by])].map(sqlName).join(", ");
  const bounds = upper === undefined ? "" : `, contribution_bounds_per_group => (${lower}, ${upper})`;
  return `${CALLS[take]}(${of}${bounds})${isFiltered && where !== undefined ? ` FILTER (WHERE ${filter})` : ""}`;
}
