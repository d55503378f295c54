import { meantAggregate } from "@dosimeter/sql-text";
import type { Refuse } from "./reading.ts";
import { aggregatesIn, callsIn, child, isNode, lastName, type Node, nameOf, nodes, numberAt, string } from "./tree.ts";
import { ASKING, type Frame, type Ref } from "./walk.ts";

/** SELECT that ask of one statement. */
const MAX_ASKED = 100;

/** The SELECT of a statement that ask of datasets. Rows that would come out as they are, and too many of them, are refused. */
export function askingFor(
  refs: readonly Ref[],
  { kind, start }: { readonly kind: string; readonly start: number },
  refuse: Refuse,
): ReadonlySet<Frame> {
  const asked = new Set<Frame>();
  for (const ref of refs) {
    const found = ASKING.has(kind) ? askersOf(ref) : [];
    for (const one of found ?? []) asked.add(one);
    if (found?.length === 0) {
      refuse(
        ref.at,
        "42501",
        `the rows of ${JSON.stringify(ref.name)} are private: they are read by an aggregate alone`,
        `${meantIn(ref)}SELECT COUNT(*), AVG(…) … GROUP BY …; a SELECT around it may do anything with its answers.`,
      );
      return asked;
    }
  }
  if (asked.size > MAX_ASKED)
    refuse(start, "54000", `a statement has ${asked.size} SELECT about datasets, must have at most ${MAX_ASKED}`);
  return asked;
}

/** Functions of a statement whose names are looked at for a hint. */
const MAX_GUESSED = 20;

/** What a function was probably meant to be, as AVG for AVERAGE. */
function meantIn({ frame }: Ref): string {
  const names = new Set(callsIn(frame?.node.targetList).map(nameOf));
  const found = [...names]
    .slice(0, MAX_GUESSED)
    .map(meantAggregate)
    .find((name) => name !== null);
  return found === undefined ? "" : `Did you mean ${found}? `;
}

/** As `askedBy`; where rows would come out, the SELECT around them that aggregates. */
function askersOf(ref: Ref): readonly Frame[] | null {
  const found = askedBy(ref);
  if (found?.length !== 0) return found;
  for (let each = ref.frame; each !== null; each = each.parent) if (isAsking(each)) return [each];
  return [];
}

export const outermost = (asked: ReadonlySet<Frame>): readonly Frame[] =>
  [...asked].filter((frame) => !around(frame).some((each) => asked.has(each)));

/** The frames around one, also those that read a CTE that it is. */
function around(frame: Frame): readonly Frame[] {
  const found = new Set<Frame>();
  const climb = (each: Frame): void => {
    for (const outer of [each.parent, ...(each.how === "cte" ? each.consumers : [])]) {
      if (outer === null || found.has(outer)) continue;
      found.add(outer);
      climb(outer);
    }
  };
  climb(frame);
  found.delete(frame);
  return [...found];
}

/** The SELECT that aggregates what a table gives; none where its rows come out; null where no row is asked for. */
function askedBy({ frame }: Ref): readonly Frame[] | null {
  if (frame === null) return [];
  if (isEmpty(frame.node)) return null;
  const seen = new Set<Frame>();
  const found: Frame[] = [];
  const climb = (each: Frame): boolean => {
    if (seen.has(each)) return true;
    seen.add(each);
    if (isAsking(each)) return found.push(each) > 0;
    if (each.how === "from" && each.parent !== null) return climb(each.parent);
    return each.how === "cte" && [...each.consumers].every(climb);
  };
  return climb(frame) ? (found.length === 0 ? null : found) : [];
}

/** LIMIT 0, or WHERE false: what tools ask to see the columns. */
function isEmpty({ limitCount, whereClause }: Node): boolean {
  const constant = child(limitCount, "A_Const");
  if (constant !== undefined && isNode(constant.ival) && !numberAt(constant.ival.ival)) return true;
  const where = child(whereClause, "A_Const");
  if (where !== undefined && isNode(where.boolval) && where.boolval.boolval !== true) return true;
  const compared = child(whereClause, "A_Expr");
  const [left, right] = [compared?.lexpr, compared?.rexpr].map((side) => child(child(side, "A_Const"), "ival"));
  const operator = string(child(nodes(compared?.name)[0], "String")?.sval);
  return operator === "=" && left !== undefined && right !== undefined && numberAt(left.ival) !== numberAt(right.ival);
}

const isAsking = (frame: Frame): boolean => {
  const { groupClause, targetList, havingClause, sortClause } = frame.node;
  return (
    nodes(groupClause).length > 0 ||
    [targetList, havingClause, sortClause].some((part) => aggregatesIn(part).length > 0) ||
    (frame.refs.length > 0 && categoriesOf(frame) !== null)
  );
};

/** The column whose values `SELECT DISTINCT column FROM dataset` lists, or the same by GROUP BY. */
export function categoriesOf({ node, refs }: Frame): string | null {
  const [target, second] = nodes(node.targetList);
  const column = child(child(target, "ResTarget")?.val, "ColumnRef");
  if (column === undefined || second !== undefined || refs.length !== 1 || nodes(node.fromClause).length !== 1)
    return null;
  if (node.whereClause !== undefined || node.havingClause !== undefined) return null;
  const isDistinct = Array.isArray(node.distinctClause) && node.groupClause === undefined;
  if (!isDistinct && nodes(node.groupClause).length !== 1) return null;
  return lastName(column.fields) || null;
}
