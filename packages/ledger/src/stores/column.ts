/** A column: how SQL declares it, and the type of its values. */
export interface Column<Value = unknown> {
  readonly type: "TEXT" | "INTEGER" | "SERIAL";
  readonly presence: "" | "NOT NULL" | "PRIMARY KEY";
  /** In SQL, with `$` for its name. */
  readonly constraint: string;
  /** Never there: it only carries the type. */
  readonly value?: Value;
}

export interface Table {
  /** Its rows never change, or are never deleted. */
  readonly keeps?: "appendOnly" | "neverDeleted";
  readonly columns: Readonly<Record<string, Column>>;
  /** Constraints over several columns. */
  readonly rules?: readonly string[];
  readonly indexes?: Readonly<Record<string, string>>;
  readonly uniqueIndexes?: Readonly<Record<string, string>>;
  /** By its name, the condition over OLD and NEW under which an UPDATE is refused: of a row, or of some columns. */
  readonly refuses?: Readonly<Record<string, string | { readonly of: readonly string[]; readonly when: string }>>;
}

export type Row<T extends Table> = {
  -readonly [Name in keyof T["columns"]]: T["columns"][Name] extends Column<infer Value> ? Value : never;
};

export const text = <Value extends string = string>(constraint = ""): Column<Value> => ({
  type: "TEXT",
  presence: "NOT NULL",
  constraint,
});

export const oneOf = <const Value extends string>(...values: readonly Value[]): Column<Value> =>
  text(`CHECK ($ IN (${values.map((value) => `'${value}'`).join(", ")}))`);

/** `condition`: what follows its name in a check. */
export const integer = <Value extends bigint = bigint>(condition?: string): Column<Value> => ({
  type: "INTEGER",
  presence: "NOT NULL",
  constraint: condition === undefined ? "" : `CHECK ($ ${condition})`,
});

/** Numbers rows, or has the number of a row of another table. */
export const serial = (constraint = ""): Column<bigint> => ({ type: "SERIAL", presence: "", constraint });

export const key = <Value>(column: Column<Value>): Column<Value> => ({ ...column, presence: "PRIMARY KEY" });
export const maybe = <Value>(column: Column<Value>): Column<Value | null> => ({ ...column, presence: "" });
export const unique = <Value>(column: Column<Value>): Column<Value> => ({
  ...column,
  constraint: `UNIQUE ${column.constraint}`,
});
