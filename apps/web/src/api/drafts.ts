import type { Input } from "@dosimeter/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useChange } from "./change.ts";
import { client } from "./connection.ts";
import { MAX_PAGE, whole } from "./listing.ts";

export const useDrafts = (dataset: string) =>
  useQuery(whole(["drafts", dataset], () => client.all("listDrafts", { dataset, limit: MAX_PAGE })));

/** A draft with its plan and comments. */
export const useDraft = (draft: string) =>
  useQuery({ queryKey: ["draft", draft], queryFn: () => client.showDraft({ draft }), enabled: draft !== "" });

export const useSaveDraft = () => useChange((server, draft: Input<"saveDraft">) => server.saveDraft(draft));
export const useChangeDraft = () => useChange((server, change: Input<"changeDraft">) => server.changeDraft(change));
/** The list is loaded again; the draft itself is gone and not asked for. */
export function useDeleteDraft() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (draft: string) => client.deleteDraft({ draft }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["drafts"] }),
  });
}
export const useCommentDraft = () => useChange((server, said: Input<"commentDraft">) => server.commentDraft(said));
