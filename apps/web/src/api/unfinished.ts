import type { Draft, Input } from "@dosimeter/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, MAX_PAGE, useChange, whole } from "./connection.ts";

/** Plans and declarations that are not finished. */
export const useUnfinished = () =>
  useQuery({ ...whole(["unfinished"], () => client.all("listUnfinished", { limit: MAX_PAGE })), staleTime: 0 });

/** As it is when it is opened; not asked for again, which may be when it is gone, because something else changed. */
const once = { gcTime: 0, staleTime: "static" } as const;

export const useUnfinishedDraft = (draft: string) =>
  useQuery({ ...once, queryKey: ["unfinished", draft], queryFn: () => client.showDraft({ draft }) });

/** The plan that I typed on a dataset; null where there is none. */
export async function unfinishedPlan(dataset: string): Promise<Draft | null> {
  const [found] = (await client.listUnfinished({ dataset })).items;
  return found === undefined ? null : client.showDraft({ draft: found.id });
}
export const useUnfinishedPlan = (dataset: string) =>
  useQuery({ ...once, queryKey: ["unfinished", "on", dataset], queryFn: () => unfinishedPlan(dataset) });

/** These load nothing again: the page that types it knows it. */
export const beginUnfinished = (begun: Input<"saveUnfinished">) => client.saveUnfinished(begun);
export const keepUnfinished = (change: Input<"changeUnfinished">) => client.changeUnfinished(change);
export const showUnfinished = (draft: string) => client.showDraft({ draft });
export const forgetUnfinished = (draft: string) => client.deleteDraft({ draft });

export const useBeginUnfinished = () =>
  useChange((server, begun: Input<"saveUnfinished">) => server.saveUnfinished(begun));
export const useChangeUnfinished = () =>
  useChange((server, change: Input<"changeUnfinished">) => server.changeUnfinished(change));
/** The list is loaded again; the draft itself is someone else's and not asked for. */
export function useHandDeclaration() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (handed: Input<"handDeclaration">) => client.handDeclaration(handed),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["unfinished"], exact: true }),
  });
}
