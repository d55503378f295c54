import type { Dataset, Input } from "@dosimeter/client";
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { client, isServed, MAX_PAGE, paged, searched, whole } from "./connection.ts";

/** Datasets page by page, searched by the server; the previous results stay visible while the person types. */
export const useDatasets = (text = "") =>
  useInfiniteQuery({
    ...paged(["datasets", "found", text], (page) => client.listDatasets({ ...searched(text), ...page })),
    enabled: isServed,
    placeholderData: keepPreviousData,
  });

export const useEveryDataset = (isAsked = isServed) =>
  useQuery(whole(["datasets", "all"], () => client.all("listDatasets", { limit: MAX_PAGE }), isAsked));

export const useDataset = (dataset: string, isAsked = true) =>
  useQuery({ queryKey: ["dataset", dataset], queryFn: () => client.showDataset({ dataset }), enabled: isAsked });

/** More tables of one population than this are not offered for joins. */
const MAX_JOINABLE = 20;

/** The datasets about the same people that a plan on this one may join. */
export const useJoinable = (dataset: Dataset | undefined) =>
  useQuery({
    queryKey: ["dataset", dataset?.id, "joinable"],
    queryFn: async () => {
      const others: string[] = [];
      for await (const { id, population } of client.all("listDatasets", { limit: MAX_PAGE })) {
        if (id !== dataset?.id && population === dataset?.population) others.push(id);
        if (others.length === MAX_JOINABLE) break;
      }
      return Promise.all(others.map((other) => client.showDataset({ dataset: other })));
    },
    enabled: dataset !== undefined,
  });

export const useAccess = (dataset: string) =>
  useQuery({
    queryKey: ["dataset", dataset, "access"],
    queryFn: async () => (await client.listAccess({ dataset })).items,
  });

/** Names and types of a file's header, read in another way than when it was uploaded; not asked for when null. */
export const useFileColumns = (file: string | undefined, reading: Omit<Input<"describeFile">, "file"> | null) =>
  useQuery({
    queryKey: ["files", file, reading],
    queryFn: () => client.describeFile({ file: file ?? "", ...reading }),
    enabled: file !== undefined && reading !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** How an upload fits a declaration: nothing keeps the answer but the page that asked. */
export const useCheckUpload = () =>
  useMutation({ mutationFn: (asked: Input<"checkUpload">) => client.checkUpload(asked), gcTime: 0 });

/** What a code book says, read by the server in a thread of its own. */
export const readCodeBook = (content: Blob) => client.readCodeBook({ content });

export const useConnections = (isAsked: boolean) =>
  useQuery({ queryKey: ["connections"], queryFn: () => client.listConnections(), enabled: isAsked });

/** The schemas of a connection, and the tables in one of them; not asked for where it is not named. */
export const useTables = (connection: string, schema: string) =>
  useQuery({
    queryKey: ["connections", connection, schema],
    queryFn: () => client.listTables({ connection, schema }),
    enabled: connection !== "" && schema !== "",
    retry: false,
  });

export const useServerFiles = (isAsked: boolean) =>
  useQuery({ queryKey: ["server-files"], queryFn: () => client.listServerFiles(), enabled: isAsked });

/** The datasets that I may ask for, page by page, searched by the server. */
export const useCatalog = (text = "") =>
  useInfiniteQuery({
    ...paged(["catalog", text], (page) => client.listCatalog({ ...searched(text), ...page })),
    enabled: isServed,
    placeholderData: keepPreviousData,
  });

export const useCatalogDataset = (dataset: string) =>
  useQuery({ queryKey: ["catalog dataset", dataset], queryFn: () => client.showCatalogDataset({ dataset }) });

/** What the catalogue says of a dataset that I see. */
export const useListing = (dataset: string) =>
  useQuery({ queryKey: ["dataset", dataset, "listing"], queryFn: () => client.showListing({ dataset }) });
