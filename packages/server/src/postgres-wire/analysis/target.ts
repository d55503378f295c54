import { child, isNode, lastName, type Node, nameOf, string } from "./tree.ts";

/** What a SELECT that a plan answers shows in one column. */
export interface Target {
  /** Its alias, or the name that PostgreSQL gives it. */
  readonly name: string;
  readonly isNamed: boolean;
  readonly asks: "count" | "mean" | "column" | "other";
}

export interface Expressed extends Target {
  readonly expression: Node | undefined;
}

/** What a call of a function gives. */
export const asksOf = (name: string): "count" | "mean" | "other" =>
  /^(?:count|approx_count_distinct|distinct_units)$/.test(name)
    ? "count"
    : /^(?:avg|mean)$/.test(name)
      ? "mean"
      : "other";

export function targetOf(one: Node): Expressed {
  const target = child(one, "ResTarget") ?? {};
  const value = isNode(target.val) ? target.val : undefined;
  const alias = string(target.name);
  const call = child(value, "FuncCall");
  return {
    expression: value,
    name: alias === "" ? nameOfExpression(value) : alias,
    isNamed: alias !== "",
    asks: child(value, "ColumnRef") !== undefined ? "column" : asksOf(call === undefined ? "" : nameOf(call)),
  };
}

/** As PostgreSQL names a column without an alias. */
function nameOfExpression(value: Node | undefined): string {
  const call = child(value, "FuncCall");
  if (call !== undefined) return nameOf(call);
  const column = child(value, "ColumnRef");
  if (column !== undefined) return lastName(column.fields) || "?column?";
  const cast = child(value, "TypeCast");
  if (cast !== undefined) {
    const inner = nameOfExpression(isNode(cast.arg) ? cast.arg : undefined);
    const type = lastName(child(cast, "typeName")?.names);
    return inner === "?column?" ? type : inner;
  }
  if (child(value, "CoalesceExpr") !== undefined) return "coalesce";
  return child(value, "CaseExpr") === undefined ? "?column?" : "case";
}
