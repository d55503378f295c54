import type { AuditLine, LedgerId, Page } from "@dosimeter/ledger";
import type { HandlersOf } from "../call.ts";
import type { Deps } from "../deps.ts";
import { PAGE_SIZE } from "../page.ts";
import { directory } from "../view/directory.ts";

export const audit = {
  async listAudit({ deps, input }) {
    return linesView(await deps.books.audit.lines({ after: input.cursor, limit: input.limit ?? PAGE_SIZE }), deps);
  },
  async listLedgerAudit({ deps, input }) {
    const ledger = input.ledger as LedgerId;
    return linesView(
      await deps.books.audit.lines({ ledger, after: input.cursor, limit: input.limit ?? PAGE_SIZE }),
      deps,
    );
  },
  async verify({ deps }) {
    const { problems, ...rest } = await deps.books.audit.verify();
    return { ...rest, problems: [...problems] };
  },
} satisfies HandlersOf<"audit">;

async function linesView({ items, next }: Page<AuditLine>, { books }: Deps) {
  const { nameOf } = await directory(books);
  return {
    items: items.map(({ seq, at, actor, action, subject, ledger, detail, hash }) => ({
      sequence: seq,
      at,
      actor,
      actorName: nameOf(actor),
      action,
      subject,
      ledger,
      detail,
      hash,
    })),
    next,
  };
}
