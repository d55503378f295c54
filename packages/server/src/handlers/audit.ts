import { memoized } from "@dosimeter/core/internal";
import type { AuditLine, LedgerId, Page } from "@dosimeter/ledger";
import { nullIfAbsent } from "../access/absent.ts";
import { holds } from "../access/authority.ts";
import type { Caller } from "../access/credentials.ts";
import type { HandlersOf } from "../http/call.ts";
import type { Deps } from "../http/deps.ts";
import { PAGE_SIZE } from "../http/page.ts";
import { directory } from "../view/directory.ts";
import { lineReleases } from "../view/line-releases.ts";
import { subjectNames } from "../view/subject.ts";

export const audit = {
  async listAudit({ deps, caller, input }) {
    const { cursor, limit = PAGE_SIZE, ...filter } = input;
    return linesView(await deps.database.audit.lines({ ...filter, after: cursor, limit }), { caller, deps });
  },
  async listLedgerAudit({ deps, caller, input }) {
    return linesView(
      await deps.database.audit.lines({ ledger: input.ledger, after: input.cursor, limit: input.limit ?? PAGE_SIZE }),
      { caller, deps },
    );
  },
  async exportLedger({ deps, caller, input: { ledger }, exchange: { signal } }) {
    const bytes = await deps.exporter.export({ ledger, reader: caller.principal.id, signal });
    return { name: `${ledger}.jsonl`, bytes };
  },
  async listActivity({ deps, caller, input }) {
    const { database } = deps;
    const { platformAdmin, auditor, auditorOf, datasetAdminOf } = caller.roles;
    const datasets = platformAdmin || auditor ? "all" : [...auditorOf, ...datasetAdminOf];
    const { items, next } = await database.audit.lines({
      mine: { principal: caller.principal.id, datasets },
      after: input.cursor,
      limit: input.limit ?? PAGE_SIZE,
    });
    const readable = new Map<LedgerId, Promise<boolean>>();
    return linesView({ items, next }, { caller, deps }, (ledger) => {
      const mayName = readable.get(ledger) ?? holds("ledgerReader", caller, { ledger }, deps);
      readable.set(ledger, mayName);
      return mayName;
    });
  },
  async verify({ deps }) {
    return deps.verify();
  },
} satisfies HandlersOf<"audit">;

/** `mayName`: whether the reader may see the present name of what a line of the ledger is about. */
async function linesView(
  { items, next }: Page<AuditLine>,
  { caller, deps }: { readonly caller: Caller; readonly deps: Deps },
  mayName: (ledger: LedgerId) => boolean | Promise<boolean> = () => true,
) {
  const { database } = deps;
  const names = await directory(database);
  const subjectName = subjectNames(names, database);
  const datasetOf = datasetsOfLedgers(database);
  const releaseOf = await lineReleases(items, caller, deps);
  return {
    items: await Promise.all(
      items.map(async (line) => {
        const { actor, ledger } = line;
        const isNamed = ledger === null || (await mayName(ledger));
        const release = releaseOf(line);
        return {
          ...line,
          actorName: names.nameOf(actor),
          subjectName: release?.title ?? (isNamed ? await subjectName(line) : null),
          page: release === null ? (isNamed ? await pageOf(line, datasetOf) : null) : `/releases/${release.id}`,
        };
      }),
    ),
    next,
  };
}

/** The first dataset about a ledger's people, looked up once for each ledger. */
function datasetsOfLedgers({ ledgers, catalog }: Deps["database"]): (ledger: LedgerId) => Promise<string | null> {
  const read = async (id: LedgerId) => (await catalog.datasetsOf((await ledgers.ledger(id)).population))[0]?.id ?? null;
  return memoized((id) => read(id).catch(nullIfAbsent));
}

/** The page of a dataset, a team or the requests; of what else happens on a ledger, that of its dataset. */
async function pageOf(
  { subject, ledger }: AuditLine,
  datasetOf: (ledger: LedgerId) => Promise<string | null>,
): Promise<string | null> {
  if (subject.startsWith("req_")) return "/requests";
  if (subject.startsWith("tem_")) return `/teams/${subject}`;
  const dataset = subject.startsWith("dat_") ? subject : ledger === null ? null : await datasetOf(ledger);
  return dataset === null ? null : `/datasets/${dataset.replace(/\.v\d+$/, "")}`;
}
