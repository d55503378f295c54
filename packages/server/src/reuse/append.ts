import { rm, stat } from "node:fs/promises";
import { PrivacyError } from "@dosimeter/core";
import { type Dataset, systemPrincipal } from "@dosimeter/ledger";
import { withBlock } from "@dosimeter/query/bind";
import { declarationJson } from "@dosimeter/query/declaration";
import type { Appended } from "@dosimeter/query/plan";
import { overFile, parseSource } from "@dosimeter/query/source";
import type { Held } from "../sources/files.ts";
import { refuseOtherPeople, tablesOver } from "../sources/same-bytes.ts";
import { tableOf, uploadsOf } from "../sources/tables.ts";
import { errorFields, type Log } from "../telemetry/log.ts";
import { withBytes } from "../threads/web-stream.ts";
import { type Maker, newVersion, type VersionDeps } from "./version.ts";

/**
 * A new version of a dataset: its rows, and those of an uploaded file that lie in one block. Rows of other blocks are dropped. The calendar gets
 * a later end where the block needs one; everything else stays, so that answers about other blocks are still of use. [M167]
 * The uploaded file is deleted once it was read, and what was saved is where no version came of it: an erasure finds the files of versions alone.
 * Both are marked first, so that what a killed append left is deleted by a later one or by the next start.
 */
export async function appendRows(
  before: Dataset,
  input: { readonly file: string; readonly block: string },
  { caller, deps, signal }: Maker<AppendDeps>,
): Promise<{ readonly dataset: Dataset; readonly rows: Appended }> {
  const { files, inspector, database } = deps;
  const person = caller.principal.id;
  const { declaration: old } = tableOf(before, files);
  const { block, declaration } = withBlock(old, input.block, Date.now() / 1000);
  const file = await files.file(input.file, person);
  refuseOtherPeople(before.population, (await tablesOver([file.digest], caller, database)).mine);
  const more = parseSource(overFile({ ...old.source }, file.format, files.pathOf(`${file.id}.${file.format}`)));
  await sweepAppends(deps);
  const sizes = await Promise.all([...uploadsOf(old), `${file.id}.${file.format}`].map(bytesAt(files)));
  const to = files.scratch(sizes.reduce((all, size) => all + size, 0));
  const held = [file];
  await files.hold(file.id, before.id);
  try {
    const window = [{ from: block, to: block }];
    const rows = await inspector.inspect("append", { declaration, more, window, to }, { person, signal });
    const saved = await withBytes(to, (bytes) =>
      files.save({
        // No person's: who appends rows may not have, declare or download those that were there.
        ...{
          name: file.name,
          owner: systemPrincipal,
          brought: { by: person, bytes: file.bytes },
          encoding: "utf-8",
          heldFor: before.id,
          signal,
          bytes,
        },
        describe: async (source) => [...(await inspector.inspect("describe", { source }, { person, signal }))],
      }),
    );
    held.push(saved);
    const isLonger = declaration !== old;
    const made = {
      isNext: true,
      appended: { file: saved, digest: file.digest, block, isLonger },
      ...(isLonger ? { declaration: { ...declarationJson(declaration) } } : {}),
    };
    return { dataset: await newVersion(before, made, { caller, deps, signal }), rows };
  } finally {
    await rm(to, { force: true });
    for (const { id, format } of held) await settle({ id, format, dataset: before.id }, deps);
  }
}

const bytesAt =
  ({ pathOf }: AppendDeps["files"]) =>
  async (name: string): Promise<number> =>
    (await stat(pathOf(name)).catch(() => null))?.size ?? 0;

type AppendDeps = VersionDeps & { readonly log: Log };
type Stored = Pick<AppendDeps, "files" | "database">;

/** Deletes a file that no version reads. */
async function settle({ id, format, dataset }: Held, { files, database }: Stored): Promise<void> {
  const file = `${id}.${format}`;
  await ((await database.catalog.eraseUnread({ file, dataset })) ? files.erase(file) : files.keep(id));
}

/** Deletes what killed appends left, each file by itself. What was for a dataset that a restored database lacks is set aside. */
export async function sweepAppends({ log, ...stored }: Pick<AppendDeps, keyof Stored | "log">): Promise<void> {
  for (const held of await stored.files.heldByKilled())
    try {
      await settle(held, stored).catch(async (error: unknown) => {
        if (!(error instanceof PrivacyError && error.code === "NOT_FOUND")) throw error;
        await stored.files.setAside(held.id);
        log.error("APPEND_SET_ASIDE");
      });
    } catch (error) {
      log.error("APPEND_NOT_DELETED", errorFields(error));
    }
}
