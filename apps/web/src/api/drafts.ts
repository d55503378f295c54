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
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ["drafts"] });
      return queries.invalidateQueries({ queryKey: ["declarations"], exact: true });
    },
  });
}
export const useCommentDraft = () => useChange((server, said: Input<"commentDraft">) => server.commentDraft(said));

/** Declarations that are not finished. */
export const useDeclarations = () =>
  useQuery({ ...whole(["declarations"], () => client.all("listDeclarations", { limit: MAX_PAGE })), staleTime: 0 });

/** One of them as it is now: what another tab or person typed since counts. */
export const useDeclarationDraft = (draft: string) =>
  useQuery({
    queryKey: ["declarations", draft],
    queryFn: () => client.showDraft({ draft }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useBeginDeclaration = () =>
  useChange((server, begun: Input<"saveDeclaration">) => server.saveDeclaration(begun));
/** Loads nothing again: the page that types it knows it. */
export const keepDeclaration = (change: Input<"changeDeclaration">) => client.changeDeclaration(change);
export const forgetDeclaration = (draft: string) => client.deleteDraft({ draft });
export const useChangeDeclaration = () =>
  useChange((server, change: Input<"changeDeclaration">) => server.changeDeclaration(change));
/** The list is loaded again; the draft itself is someone else's and not asked for. */
export function useHandDeclaration() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (handed: Input<"handDeclaration">) => client.handDeclaration(handed),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["declarations"], exact: true }),
  });
}
