/** The connection was refused, broke or ended. */
const LOST = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND"]);
/** A full disk or a folder that cannot be written, met outside of SQLite. */
const NO_ROOM = new Set(["ENOSPC", "EDQUOT", "EROFS"]);
/** PostgreSQL: no connection, no resources, a lock not had in time, a read-only copy, shutting down, starting, rolled back. */
const SQLSTATE = /^(08|53|57P0|25006|55P03|40001|40P01)/;
/** SQLite: busy, locked, cannot be written, I/O failed, full, cannot be opened. */
const SQLITE = new Set([5, 6, 8, 10, 13, 14]);
/** Messages of the driver that have no code. */
const SAID =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Whether the server rolled this transaction back because of another one: it may run again. PostgreSQL rarely does so here,
 * as every transaction first waits for one row; databases that are compatible with it may.
 */
export const isUndone = (error: unknown): boolean =>
  chain(error).some(({ code }) => code === "40001" || code === "40P01");

/** SQLite: a damaged page, not a database. */
const DAMAGED = new Set([11, 26]);

/** Whether the database could not be read because its pages are damaged; PostgreSQL: XX001, XX002. */
export const isDamaged = (error: unknown): boolean =>
  chain(error).some(
    ({ code, errcode }) =>
      (typeof errcode === "number" && DAMAGED.has(errcode & 0xff)) || code === "XX001" || code === "XX002",
  );

/**
 * The code of an error that means the database is unreachable, full or read-only: the same request may be sent again under its
 * key. Null for every other error. No code here depends on a row.
 */
export function connectionErrorCode(error: unknown): string | null {
  for (const { code, errcode, message } of chain(error)) {
    if (typeof errcode === "number" && SQLITE.has(errcode & 0xff)) return `SQLITE ${errcode & 0xff}`;
    if (typeof code === "string" && (LOST.has(code) || NO_ROOM.has(code) || SQLSTATE.test(code))) return code;
    if (typeof message === "string" && SAID.test(message)) return "LOST";
  }
  return null;
}

interface Said {
  readonly code?: unknown;
  readonly errcode?: unknown;
  readonly message?: unknown;
}

function chain(error: unknown): readonly Said[] {
  return error instanceof Error ? [error as Said, ...chain(error.cause)] : [];
}
