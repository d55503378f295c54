import { isAggregate } from "@dosimeter/sql-text";

export type Node = Readonly<Record<string, unknown>>;

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const nodes = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

export const child = (value: unknown, key: string): Node | undefined =>
  isNode(value) && isNode(value[key]) ? value[key] : undefined;

export const string = (value: unknown): string => (typeof value === "string" ? value : "");

export const numberAt = (value: unknown): number => (typeof value === "number" ? value : 0);

/** The last part of a name: of a column, a type, a function. */
export const lastName = (parts: unknown): string => string(child(nodes(parts).at(-1), "String")?.sval);

export const nameOf = (call: Node): string => lastName(call.funcname).toLowerCase();

const others =
  /^(?:array_agg|string_agg|jsonb?_\w*agg|bool_and|bool_or|every|bit_and|bit_or|bit_xor|mode|any_value|regr_\w+|stddev|stddev_\w+|variance|var_\w+|xmlagg|min_by|max_by)$/;

/** Calls of aggregates that are of this SELECT, the outer ones alone. */
export function aggregatesIn(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(aggregatesIn);
  if (!isNode(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "SelectStmt") return [];
    if (key === "FuncCall" && isNode(inner) && inner.over === undefined) {
      const name = nameOf(inner);
      if (isAggregate(name) || others.test(name) || inner.agg_star === true || inner.agg_filter !== undefined)
        return [inner];
    }
    return aggregatesIn(inner);
  });
}

const found = (value: unknown, name: string): readonly Node[] =>
  Array.isArray(value)
    ? value.flatMap((one) => found(one, name))
    : isNode(value)
      ? Object.entries(value).flatMap(([key, inner]) => (key === name && isNode(inner) ? [inner] : found(inner, name)))
      : [];

export const callsIn = (value: unknown): readonly Node[] => found(value, "FuncCall");

export const columnsIn = (value: unknown): readonly string[] =>
  found(value, "ColumnRef").map(({ fields }) => lastName(fields));

export const parametersIn = (value: unknown): readonly number[] =>
  found(value, "ParamRef").map(({ number }) => numberAt(number));
