import { isRecord } from "@dosimeter/core/internal";
import type { AuditLine, ChargeId } from "@dosimeter/ledger";
import { nullIfAbsent } from "../access/absent.ts";
import type { Caller } from "../access/credentials.ts";
import { releaseReaderOf } from "../access/readable-releases.ts";
import type { Tables } from "../reuse/versioned-table.ts";
import { aboutReleases } from "./about-releases.ts";
import { titleOf } from "./release.ts";

/** The release that an audit line is about: it is its subject, or its detail names it. */
const chargeIn = ({ subject, detail }: AuditLine): ChargeId | null => {
  const named = isRecord(detail) ? detail.charge : null;
  const id = subject.startsWith("chg_") ? subject : named;
  return typeof id === "string" && id.startsWith("chg_") ? (id as ChargeId) : null;
};

/** The release of each line that is about one, with its title; null where the caller may not read it. */
export async function lineReleases(
  lines: readonly AuditLine[],
  caller: Caller,
  deps: Tables,
): Promise<(line: AuditLine) => { readonly id: string; readonly title: string } | null> {
  const { releases } = deps.database;
  const reads = releaseReaderOf(caller, deps);
  const ids = [...new Set(lines.flatMap((line) => chargeIn(line) ?? []))];
  // The subject of a line may be missing from a restored backup.
  const charges = await Promise.all(ids.map((id) => releases.chargeOf(id).catch(nullIfAbsent)));
  const readable = await Promise.all(
    charges.flatMap((charge) =>
      charge === null ? [] : [reads(charge).then((isReadable) => (isReadable ? [charge] : []))],
    ),
  ).then((all) => all.flat());
  const aboutOf = await aboutReleases(readable, deps);
  const titles = new Map(readable.map((charge) => [charge.id, titleOf(charge, aboutOf(charge))]));
  return (line) => {
    const id = chargeIn(line);
    const title = id === null ? undefined : titles.get(id);
    return id === null || title === undefined ? null : { id, title };
  };
}
