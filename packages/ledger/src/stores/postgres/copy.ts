import type pg from "pg";
import { connectionErrorCode } from "../connection-error.ts";

/** The cluster, its timeline, which every promotion and every recovery to an earlier time raises, and this table of it. */
const COPY = `SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || '/' || to_regclass('writer')::oid AS copy`;

/** `Store.copy`; null of a standby, or a server that does not say. */
export const copyOf = (connection: Pick<pg.ClientBase, "query">): Promise<string | null> =>
  connection.query(COPY).then(
    ({ rows }) => (rows[0] as { copy: string | null }).copy,
    (error: Error) => {
      if (connectionErrorCode(error) !== null) throw error;
      return null;
    },
  );
