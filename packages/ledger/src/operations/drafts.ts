// The public operations. `LedgerDatabase` passes the context, the first argument of each.
export { commentDraft, comments } from "../drafts/comment.ts";
export { changeDraft, createDraft, deleteDraft, draft, drafts, handDraft, hasUpload } from "../drafts/draft.ts";
