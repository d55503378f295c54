// The public operations of this folder. `LedgerDatabase` passes the context, the first argument of each.
export {
  addVersion,
  createDataset,
  dataset,
  datasetAt,
  datasets,
  datasetsOf,
  datasetsWith,
  names,
  sources,
  sourcesWith,
  versions,
} from "./dataset.ts";
export { eraseUploads } from "./erase.ts";
export { listed, listing, setListing } from "./listing.ts";
export { createPopulation, population } from "./population.ts";
export { isPublic, setPublic } from "./publication.ts";
export { eraseUnread } from "./upload.ts";
