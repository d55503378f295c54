import { invalid, PrivacyError } from "@dosimeter/core";
import type { Fields } from "@dosimeter/core/internal";
import type { Dataset, Json } from "@dosimeter/ledger";
import { refuseEarlyClosing } from "@dosimeter/query/bind";
import { checkDeclaration, type Declaration, declarationJson } from "@dosimeter/query/declaration";
import { isLive } from "@dosimeter/query/source";
import type { Caller } from "../access/credentials.ts";
import type { Inspector } from "../measuring/inspector.ts";
import { checkReleases } from "../sources/provenance.ts";
import type { StoredFile } from "../sources/records.ts";
import { elsewhere, others, refuseOtherPeople, tablesOver } from "../sources/same-bytes.ts";
import { asJson, declareOver, type StoredSource, storedDeclaration, storedSource, tableOf } from "../sources/tables.ts";
import type { Tables } from "./versioned-table.ts";

export type VersionDeps = Tables & { readonly inspector: Inspector };

export interface Maker<D extends VersionDeps = VersionDeps> {
  readonly caller: Caller;
  readonly deps: D;
  readonly signal: AbortSignal;
}

/**
 * New rows of the same people, or another declaration of them. The ledger stays, with everything ever spent on it, and so does the
 * salt; unit and neighbours cannot change, as they are the population's.
 */
export async function newVersion(
  before: Dataset,
  input: {
    readonly file?: string | undefined;
    readonly declaration?: Fields | undefined;
    /** That of the version before, with more rows of this block. */
    readonly appended?: (NonNullable<StoredSource["appended"]> & { readonly file: StoredFile }) | undefined;
    /** It is made of the version before, as every one without a file is: CONFLICT where another one came meanwhile. */
    readonly isNext?: boolean;
  },
  { caller, deps, signal }: Maker,
): Promise<Dataset> {
  const { database, files, inspector } = deps;
  const by = caller.principal.id;
  if (input.file === undefined && input.declaration === undefined && input.appended === undefined)
    invalid("body", undefined, "a file, a declaration, or both");
  const old = tableOf(before, files);
  const stored = before.declaration as Fields;
  const given = input.declaration ?? stored;
  const file = input.appended?.file ?? (input.file === undefined ? null : await files.file(input.file, by));
  const declaration =
    file === null
      ? checkDeclaration({ ...given, name: before.name, source: old.declaration.source })
      : declareOver(given, before.name, file, files);
  refuseEarlyClosing(declaration, Date.now() / 1000);
  const { privacyUnit, adjacency } = old.declaration;
  if (JSON.stringify(declaration.privacyUnit) !== JSON.stringify(privacyUnit))
    invalid("declaration.privacyUnit", declaration.privacyUnit, "as before: a version is about the same people");
  if (declaration.adjacency !== adjacency)
    throw new PrivacyError("ADJACENCY_MISMATCH", {
      name: "declaration.adjacency",
      got: declaration.adjacency,
      want: adjacency,
    });
  const sameBytes = file === null ? { mine: [], theirs: [] } : await tablesOver([file.digest], caller, database);
  refuseOtherPeople(before.population, sameBytes.mine);
  await checkReleases(declaration, before.population, database);
  const checking = { declaration, salt: old.version.salt, isNew: false };
  const version = await inspector.inspect("check", checking, { person: by, signal });
  // A view may read another table by now. Its people are as before, so that only the admins of the platform can do something.
  const now = version.lineage === undefined ? null : await tablesOver(version.lineage.bases, caller, database);
  if (file !== null && input.appended === undefined) await files.declared(file.id);
  return database.catalog.addVersion({
    by,
    dataset: before.id,
    base: file === null || input.isNext === true ? before.version : undefined,
    sameBytes: [
      ...others(before.population, sameBytes.theirs),
      ...(now === null ? [] : elsewhere(before.population, now).map(({ id }) => id)),
    ],
    declaration:
      file === null
        ? asJson({ ...declarationJson(declaration), source: stored.source })
        : storedDeclaration(declaration, file),
    source:
      file === null
        ? ({
            ...rowsIn(before),
            ...version,
            ...(onlyCloses(old.declaration, declaration) ? { isClosing: true } : {}),
          } as unknown as Json)
        : storedSource(file, version, input.appended),
  });
}

/** Where the rows are. How they came is no fact of a version that declares them again. */
function rowsIn({ source }: Dataset): Fields {
  const { appended: _, isClosing: __, ...rows } = source as Fields;
  return rows;
}

/** Whether a version has the rows of the one before, and differs only in the blocks that are closed by hand. [M167] */
function onlyCloses(before: Declaration, after: Declaration): boolean {
  const closed = after.blocks?.closed;
  if (isLive(after.source) || closed === undefined || closed === before.blocks?.closed) return false;
  const open = ({ blocks, ...rest }: Declaration): string =>
    JSON.stringify({ ...declarationJson(rest), blocks: { ...blocks, closed: null } });
  return open(before) === open(after);
}
