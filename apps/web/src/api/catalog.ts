import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { client, isServed } from "./connection.ts";
import { paged, searched } from "./listing.ts";

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
