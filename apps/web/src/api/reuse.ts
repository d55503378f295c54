import type { Dataset, Input } from "@dosimeter/client";
import { signsOf } from "@dosimeter/query/source";
import { type QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, paged } from "./connection.ts";

/** Released statistics that I may reuse; empty filters are ignored. */
export const useReleased = (
  dataset: string,
  filter: { readonly text: string; readonly column: string; readonly statistic: string },
) =>
  useInfiniteQuery(
    paged(["released", dataset, filter], (page) =>
      client.listReleased({
        dataset,
        limit: 50,
        ...Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== "")),
        ...page,
      }),
    ),
  );

export const useReuse = (dataset: string, isAsked = true) =>
  useQuery({ queryKey: ["reuse", dataset], queryFn: () => client.showReuse({ dataset }), enabled: isAsked });

export function useSetReusePolicy(dataset: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (policy: Omit<Input<"setReusePolicy">, "dataset">) => client.setReusePolicy({ dataset, ...policy }),
    onSuccess: (savings) => queries.setQueryData(["reuse", dataset], savings),
  });
}

export const useCombineReleased = (dataset: string) =>
  useMutation({
    mutationFn: (combination: Omit<Input<"combineReleased">, "dataset">) =>
      client.combineReleased({ dataset, ...combination }),
  });

export const useVersions = (dataset: string) =>
  useQuery({ queryKey: ["versions", dataset], queryFn: () => client.listVersions({ dataset }) });

interface NewRows {
  /** A file, or the id of one that was sent before. */
  readonly content: globalThis.File | string;
  /** The file brings rows of this block, and the others stay; absent: it is all rows. */
  readonly block: string | undefined;
}

/** A file with rows of the same people, and what they are declared as now. */
export interface Brought {
  readonly id: string;
  readonly name: string;
  readonly declaration: Dataset["declaration"];
}

/** Uploads rows of the same people, which are no version yet. */
export const useBring = (dataset: string) =>
  useMutation({ mutationFn: (content: globalThis.File) => bring(dataset, content) });

async function bring(dataset: string, content: globalThis.File): Promise<Brought> {
  const { declaration } = await client.showDataset({ dataset });
  const { id } = await client.uploadFile({ name: content.name, content, ...signsOf(declaration) });
  return { id, name: content.name, declaration };
}

/** Uploads rows of the same people and makes a version of them: all rows, or more of one block. */
export function useCreateVersion(dataset: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ content, block }: NewRows) => {
      const file = typeof content === "string" ? content : (await bring(dataset, content)).id;
      if (block !== undefined) return client.appendRows({ dataset, file, block });
      return { ...(await client.createVersion({ dataset, file })), added: null, dropped: null };
    },
    onSettled: () => refreshed(queries),
  });
}

/** Closes a block and all before it by hand. */
export function useCloseBlocks(dataset: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (block: string) => client.closeBlocks({ dataset, block }),
    onSettled: () => refreshed(queries),
  });
}

/** What a new version changes. */
const refreshed = (queries: QueryClient) =>
  Promise.all(
    ["versions", "dataset", "datasets", "quote", "released", "ledger"].map((name) =>
      queries.invalidateQueries({ queryKey: [name] }),
    ),
  );
