import type { Declaration, Joinable } from "../declaration/declaration.ts";
import type { JoinRequest } from "../declaration/join-type.ts";
import { withJoin } from "../join/join.ts";
import { sqlName } from "./language.ts";
import type { SqlJoin, SqlQuery, SqlStatement } from "./query.ts";
import { named, refuseAt, refusedAt } from "./refusal.ts";

/** The columns that a text may name, those of the table that it joins among them. */
export interface SqlColumns {
  readonly declaration: Declaration;
  /** What the plan takes of the other table: every column of it that the text names. Null without a join. */
  readonly join: JoinRequest | null;
  readonly notes: readonly string[];
}

const sameText = (a: string, b: string): boolean => a.normalize("NFC").toLowerCase() === b.toLowerCase();

/** What a joined column is called: its own name, but for one that the table itself has, which is called by both names. */
export function joinedNames(mine: Pick<Declaration, "columns">, theirs: Declaration): (column: string) => string {
  const taken = new Set(Object.keys(mine.columns).map((name) => name.toLowerCase()));
  return (column) => (taken.has(column.toLowerCase()) ? `${theirs.name}.${column}` : column);
}

/** `people.age`, as a statement may write it, without what stands before the dot; null of another table. */
export function withoutPrefix(name: string, { joined }: Pick<SqlStatement, "joined">): string | null {
  const prefix = joined === null ? null : `${joined.prefix}.`.toLowerCase();
  return prefix !== null && name.toLowerCase().startsWith(prefix) ? name.slice(prefix.length) : null;
}

/** The one other table that a text joins. */
export const joinOf = ({ statements }: Pick<SqlQuery, "statements">): SqlJoin | undefined =>
  statements.flatMap(({ joined }) => joined ?? [])[0];

/** Completes a declaration by the columns that a text names of the table that it joins. Refused at the place of the join. */
export function withSqlJoin(query: SqlQuery, declaration: Declaration): SqlColumns {
  const { source } = query;
  const joined = joinOf(query);
  if (joined === undefined) return { declaration, join: null, notes: [] };
  const { privacyUnit } = declaration;
  if (privacyUnit !== "row" && !sameText(joined.by.name, privacyUnit.column))
    return refuseAt(
      source,
      joined.by.at,
      `tables are joined by who is protected and by nothing else; write USING (${sqlName(privacyUnit.column)})`,
    );
  const [dataset, other] = joinableOf(query, declaration, joined);
  const theirs = other.declaration;
  const join: JoinRequest = { dataset, columns: columnsNamed(query, declaration, theirs) };
  if (Object.keys(join.columns).length === 0)
    return refuseAt(source, joined.at, `no column of ${named(joined.name)} is read; leave the join out`);
  const complete = refusedAt(source, joined.at, () => withJoin(declaration, join));
  return { declaration: complete, join, notes: notesOf(theirs, joined.isInner) };
}

/** What stands before the dot of a name is at most as long as the longest name of a dataset. */
const MAX_PREFIX = 200;

/** The columns of the other table that a text names: with a prefix, or bare where the table itself has none of that name. */
function columnsNamed(
  { names, statements }: SqlQuery,
  declaration: Declaration,
  theirs: Declaration,
): JoinRequest["columns"] {
  // A column that the table itself has too is printed with the name of the other table before it.
  const prefixes = new Set([theirs.name.toLowerCase()]);
  for (const { joined } of statements) if (joined !== null) prefixes.add(joined.prefix.toLowerCase());
  const lower = new Map(Object.keys(theirs.columns).map((name) => [name.toLowerCase(), name]));
  const nameOf = joinedNames(declaration, theirs);
  const columns: Record<string, string> = Object.create(null);
  for (const written of names) {
    const name = written.normalize("NFC").toLowerCase();
    let bare = name;
    for (let dot = name.indexOf("."); dot !== -1 && dot <= MAX_PREFIX; dot = name.indexOf(".", dot + 1))
      if (prefixes.has(name.slice(0, dot))) bare = name.slice(dot + 1);
    const column = lower.get(bare);
    if (column === undefined) continue;
    const own = nameOf(column);
    if (own === column || bare !== name) columns[own] = column;
  }
  return columns;
}

function joinableOf(
  { source }: SqlQuery,
  { joinable = {} }: Declaration,
  { name, at }: NonNullable<SqlStatement["joined"]>,
): readonly [string, Joinable] {
  const all = Object.entries(joinable);
  const byId = all.find(([dataset]) => dataset === name);
  const alike = byId === undefined ? all.filter(([, { declaration }]) => sameText(name, declaration.name)) : [byId];
  const [only, ...others] = alike;
  if (only === undefined) return refuseAt(source, at, `${named(name)} is no other dataset about the same people`);
  if (others.length > 0)
    return refuseAt(
      source,
      at,
      `${alike.length} datasets are called ${named(name)}; name one by its id: ${alike.map(([id]) => id).join(", ")}`,
    );
  return only;
}

function notesOf({ name, contribution, privacyUnit }: Declaration, isInner: boolean): readonly string[] {
  const unit = privacyUnit === "row" ? "row" : privacyUnit.column;
  return [
    ...(contribution.rows === 1
      ? []
      : [`Of several rows of one ${unit} in ${name}, one is read, the same in every release.`]),
    ...(isInner
      ? [
          `Rows without a partner in ${name} stay, and lack its columns, as with LEFT JOIN; WHERE … IS NOT NULL leaves them out.`,
        ]
      : []),
  ];
}
