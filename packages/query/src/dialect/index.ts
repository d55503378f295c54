export { centuryOf, INFINITE, inIsoOrder } from "./dates-sql.ts";
export {
  bitOperators,
  compiledBy,
  type Days,
  type Dialect,
  EPOCH,
  type Fragment,
  integer,
  type PeriodRange,
  type Sql,
  type StoredDecimals,
  shiftedBy,
  usual,
  type Within,
} from "./dialect.ts";
export { isMarker, unmarked } from "./markers-sql.ts";
export { type Bounds, ORDER_BITS, type Order, type OrderField, withOrder } from "./order.ts";
export type { Packed } from "./packed.ts";
export { tickSql, wholeTickSql } from "./tick-sql.ts";
export { datesReader, type Parts, type StoredTimes, type TimesDialect } from "./timestamps-sql.ts";
