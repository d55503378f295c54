import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PrivacyError } from "@dosimeter/core";
import type { Verification } from "@dosimeter/ledger";
import { CHECKPOINT } from "../instance/checkpoint.ts";
import { exists, LEDGER_FILE, verifyFolder } from "../instance/database.ts";
import { isPlace } from "../ship/place.ts";
import { UPLOADS } from "./archive.ts";
import { type Restored, type RestoreOptions, restoreBackup } from "./restore.ts";

/** What a restore of an archive would have given at this moment. */
export interface Drill
  extends Pick<Verification, "ok" | "problems" | "lines">,
    Pick<Restored, "frozen" | "missingLines" | "said"> {
  readonly archive: string;
  readonly madeAt: string;
  readonly files: number;
  /** Uploads that a dataset reads and the archive does not have. */
  readonly lacking: readonly string[];
  /** How long the archive was made before: what came since is gone with the machine. */
  readonly ageSeconds: number;
  /** How long it took to restore and to verify. */
  readonly tookSeconds: number;
}

/**
 * Restores an archive, or the newest one of a folder, into a scratch folder, verifies what is there as a server would find it, and deletes it.
 * The data folder is only asked for its checkpoint; its witness and its database are left alone. Meanwhile the rows lie in `TMPDIR`, for their
 * owner alone.
 */
export async function drillRestore({
  folder,
  archive: asked,
  key,
  ...given
}: Pick<RestoreOptions, "folder" | "archive" | "key" | "checkpoint" | "auditStream" | "until">): Promise<Drill> {
  const archive = await newestIn(asked);
  const own = join(folder, CHECKPOINT);
  const checkpoint = given.checkpoint ?? ((await exists(own)) ? own : undefined);
  const scratch = await mkdtemp(join(tmpdir(), "dosimeter-drill-"));
  const started = performance.now();
  try {
    const { manifest, said, frozen, missingLines } = await restoreBackup({
      ...given,
      ...(checkpoint === undefined ? {} : { checkpoint }),
      ...{ folder: scratch, archive, key },
    });
    const { ok, problems } = await verifyFolder({ folder: scratch });
    const { madeAt, files, lines } = manifest;
    return {
      ...{ archive, madeAt, said, lines, ok, problems, frozen, missingLines },
      files: files.length,
      lacking: uploadsIn(join(scratch, LEDGER_FILE)).filter((one) => !files.some(({ name }) => name === UPLOADS + one)),
      ageSeconds: Math.round((Date.now() - Date.parse(madeAt)) / 1000),
      tookSeconds: (performance.now() - started) / 1000,
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What every version of a dataset reads, unless it was erased. */
function uploadsIn(ledger: string): readonly string[] {
  const connection = new DatabaseSync(ledger, { readOnly: true });
  try {
    const read = "SELECT DISTINCT source ->> 'file' AS file FROM dataset_version WHERE source ->> 'file' IS NOT NULL";
    const rows = connection.prepare(`${read} AND source ->> 'file' NOT IN (SELECT file FROM erased_upload)`).all();
    return rows.map(({ file }) => String(file));
  } finally {
    connection.close();
  }
}

async function newestIn(path: string): Promise<string> {
  if (
    isPlace(path) ||
    !(await stat(path)
      .then((found) => found.isDirectory())
      .catch(() => false))
  )
    return path;
  const names = (await readdir(path)).filter((name) => name.endsWith(".age"));
  const dated = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(path, name))).mtimeMs })));
  const newest = dated.toSorted((a, b) => b.at - a.at)[0];
  if (newest === undefined)
    throw new PrivacyError("NOT_FOUND", { name: "archive", got: path, want: "a file *.age in it" });
  return join(path, newest.name);
}
