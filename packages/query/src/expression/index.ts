export { blockSql, inCohorts, inWindow } from "./block-sql.ts";
export { columnsRead, MAX_DERIVED, withDerived } from "./derive.ts";
export { evaluate } from "./evaluate.ts";
export { type ColumnReader, derivedSql, readerOf } from "./expression-sql.ts";
export { formulaReader, isSmall, parseFormula } from "./formula-text.ts";
