import type { AuditLine, LedgerId, Page } from "@dosimeter/ledger";
import { holds } from "../access/authority.ts";
import type { HandlersOf } from "../http/call.ts";
import { PAGE_SIZE } from "../http/page.ts";
import type { Deps } from "../instance/deps.ts";
import { directory } from "../view/directory.ts";
import { subjectNames } from "../view/subject.ts";

export const audit = {
  async listAudit({ deps, input }) {
    const { cursor, limit = PAGE_SIZE, ...filter } = input;
    return linesView(await deps.database.audit.lines({ ...filter, after: cursor, limit }), deps);
  },
  async listLedgerAudit({ deps, input }) {
    return linesView(
      await deps.database.audit.lines({ ledger: input.ledger, after: input.cursor, limit: input.limit ?? PAGE_SIZE }),
      deps,
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
    return linesView({ items, next }, deps, (ledger) => {
      const mayName = readable.get(ledger) ?? holds("ledgerReader", caller, { ledger }, deps);
      readable.set(ledger, mayName);
      return mayName;
    });
  },
  async verify({ deps }) {
    const { problems, ...rest } = await deps.verify();
    return { ...rest, problems: [...problems] };
  },
} satisfies HandlersOf<"audit">;

/** `mayName`: whether the reader may see the present name of what a line of the ledger is about. */
async function linesView(
  { items, next }: Page<AuditLine>,
  { database }: Deps,
  mayName: (ledger: LedgerId) => boolean | Promise<boolean> = () => true,
) {
  const names = await directory(database);
  const subjectName = subjectNames(names, database);
  return {
    items: await Promise.all(
      items.map(async (line) => {
        const { seq, at, actor, action, subject, ledger, detail, hash } = line;
        return {
          sequence: seq,
          at,
          actor,
          actorName: names.nameOf(actor),
          action,
          subject,
          subjectName: ledger === null || (await mayName(ledger)) ? await subjectName(line) : null,
          ledger,
          detail,
          hash,
        };
      }),
    ),
    next,
  };
}
