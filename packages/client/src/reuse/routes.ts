import { PAGE, type RouteTable } from "../route.ts";

export const reuseRoutes = {
  listReleased: {
    method: "GET",
    path: "/v1/datasets/{dataset}/released",
    who: "datasetReader",
    scope: "read",
    query: ["version", "statistic", "column", "text", ...PAGE],
    status: 200,
    summary: "The library of released statistics whose answers I may be given again, newest first",
  },
  showReuse: {
    method: "GET",
    path: "/v1/datasets/{dataset}/reuse",
    who: "datasetReader",
    scope: "read",
    status: 200,
    summary: "Whose answers are offered to whom, and what was saved by not drawing them again",
  },
  setReusePolicy: {
    method: "POST",
    path: "/v1/datasets/{dataset}/reuse",
    who: "datasetAdmin",
    scope: "manage",
    status: 200,
    summary: "Decide whose answers are offered to whom, and whether a share pays for them",
  },
  combineReleased: {
    method: "POST",
    path: "/v1/datasets/{dataset}/combinations",
    who: "datasetReader",
    scope: "read",
    status: 200,
    summary: "The sum, difference or ratio of two released cells, with the interval of what was computed; free",
  },
  listVersions: {
    method: "GET",
    path: "/v1/datasets/{dataset}/versions",
    who: "datasetReader",
    scope: "read",
    status: 200,
    summary: "When the rows of a dataset or their declaration were replaced, and by whom",
  },
  createVersion: {
    method: "POST",
    path: "/v1/datasets/{dataset}/versions",
    who: "datasetAdmin",
    scope: "manage",
    status: 201,
    errors: ["DATA_UNREADABLE", "ADJACENCY_MISMATCH", "CONFLICT"],
    summary:
      "New rows of the same people, or another declaration of them: same ledger, and nothing is reused across versions",
  },
  appendRows: {
    method: "POST",
    path: "/v1/datasets/{dataset}/rows",
    who: "datasetAdmin",
    scope: "manage",
    status: 201,
    errors: ["DATA_UNREADABLE", "CONFLICT"],
    summary: "More rows of one block: a new version, in which answers about other blocks are reused as before",
  },
  closeBlocks: {
    method: "POST",
    path: "/v1/datasets/{dataset}/closed-blocks",
    who: "datasetAdmin",
    scope: "manage",
    status: 201,
    errors: ["DATA_UNREADABLE", "CONFLICT"],
    summary:
      "Close a block and all before it by hand: a new version, with the same rows and answers, or the present one where they are closed already; reports that waited for it are made",
  },
} as const satisfies RouteTable;
