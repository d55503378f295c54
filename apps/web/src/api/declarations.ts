import type { Input } from "@dosimeter/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, MAX_PAGE, useChange, whole } from "./connection.ts";

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
