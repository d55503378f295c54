// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export { commentDraft, comments } from "./comment.ts";
export { changeDraft, createDraft, deleteDraft, draft, drafts } from "./draft.ts";
