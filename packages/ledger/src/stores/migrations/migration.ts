/** The few places where databases differ in how a table is made. */
export interface Dialect {
  /** A column that numbers rows 1, 2, 3 …; the ledger always gives the number itself. */
  readonly serial: string;
  /** At least 64 bits, signed. */
  readonly integer: string;
  /** The text after a table's closing parenthesis. */
  readonly strict: string;
  /** A statement in this database's dialect. */
  spell(statement: string): string;
  appendOnly(table: string): readonly string[];
  neverDeleted(table: string): readonly string[];
  /** Refuses an UPDATE of a row, or of `columns`, when `condition`, over OLD and NEW, is true. */
  refuseUpdate(table: string, rule: string, condition: string, columns?: readonly string[]): readonly string[];
  /** Has everything that a table refuses of its rows checked in one step; absent where that is no faster. */
  gatherRules?(table: string): string;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  statements(dialect: Dialect): readonly string[];
}
