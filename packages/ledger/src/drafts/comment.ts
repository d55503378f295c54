import { invalid, PrivacyError } from "@dosimeter/core";
import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { rowsWith } from "../stores/row.ts";
import { checkNote } from "../values/check.ts";
import { type By, newId, type PrincipalId } from "../values/id.ts";
import { rowIn } from "./draft.ts";

/** What someone says about a draft. */
export interface DraftComment {
  readonly id: string;
  readonly by: PrincipalId;
  readonly text: string;
  readonly at: string;
}

/** Of one draft. */
const MAX_COMMENTS = 200;

/** Oldest first. */
export async function comments({ store: { read } }: Context, draft: string): Promise<readonly DraftComment[]> {
  const rows = await rowsWith(read, "draft_comment", { draft_id: draft }, "id");
  return rows.map(({ id, author_id, text, at }) => ({ id, by: author_id, text, at }));
}

/** A text of 1 to 2000 characters; a draft has at most 200. */
export function commentDraft(
  context: Context,
  { draft, by, text }: By & { readonly draft: string; readonly text: string },
): Promise<void> {
  return change(context, async ({ db }, chain) => {
    const { id } = await rowIn(db, draft);
    const said = checkNote(text);
    if (said === "") invalid("text", text, "1 to 2000 printable characters");
    const { count } = await db
      .selectFrom("draft_comment")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("draft_id", "=", id)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_COMMENTS)
      throw new PrivacyError("CONFLICT", { name: "comments", got: Number(count), want: `less than ${MAX_COMMENTS}` });
    const row = { id: newId("comment"), draft_id: id, author_id: by, text: said, at: context.store.now() };
    await db.insertInto("draft_comment").values(row).execute();
    chain.append({ actor: by, action: "draft.comment", subject: id, detail: { comment: row.id } });
  });
}
