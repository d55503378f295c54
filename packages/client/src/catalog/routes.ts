import { type RouteTable, SEARCHED } from "../route.ts";

export const catalogRoutes = {
  listCatalog: {
    method: "GET",
    path: "/v1/catalog",
    who: "signedIn",
    scope: "read",
    query: SEARCHED,
    status: 200,
    summary: "Datasets that I cannot see and may ask for: those that their admins list; found by name only",
  },
  showCatalogDataset: {
    method: "GET",
    path: "/v1/catalog/{dataset}",
    who: "catalogReader",
    scope: "read",
    status: 200,
    summary: "What the catalogue says of one dataset: never its ledger, spending, answers or rows",
  },
  showListing: {
    method: "GET",
    path: "/v1/datasets/{dataset}/listing",
    who: "datasetReader",
    scope: "read",
    status: 200,
    summary: "Whether a dataset is in the catalogue, and what it says there",
  },
  setListing: {
    method: "POST",
    path: "/v1/datasets/{dataset}/listing",
    who: "datasetAdmin",
    scope: "manage",
    status: 200,
    summary:
      "Put a dataset into the catalogue of this instance, or take it out; its description; with its columns or without",
  },
} as const satisfies RouteTable;
