import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { postgresStore } from "../stores/postgres/postgres.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import type { Store } from "../stores/store.ts";

/** The location of a ledger database, as plain data for another process. */
export type Place =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string; readonly pidFile: string };

export const openPlace = (place: Place): Promise<Store> =>
  place.kind === "sqlite" ? sqliteStore(place.path) : postgresStore(place.url, { schema: place.schema });

/** Ends the database server and all its processes at once, as when the machine fails. */
export function killDatabase(place: Place): void {
  if (place.kind === "sqlite") throw new Error("SQLite has no server");
  const postmaster = readFileSync(place.pidFile, "utf8").split("\n")[0] ?? "";
  const children = execFileSync("ps", ["-o", "pid=", "--ppid", postmaster], { encoding: "utf8", timeout: 10_000 });
  for (const pid of [postmaster, ...children.split("\n")].map(Number).filter((pid) => pid > 0)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
