import pg from "pg";
import Cursor from "pg-cursor";

const INT8 = 20;
const NUMERIC = 1700;

/** Whole numbers as `bigint`, whatever their width in SQL; the rest as the driver reads it. */
export const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8) return BigInt;
    if (oid === NUMERIC) return (text: string) => (/^-?\d+$/.test(text) ? BigInt(text) : text);
    return pg.types.getTypeParser(oid, format as "text");
  },
};

/** A cursor that reads whole numbers as the other queries do. */
export class ExactCursor<T> extends Cursor<T> {
  constructor(text: string, values: unknown[]) {
    super(text, values, { types } as never);
  }
}
