// The public operations. `LedgerDatabase` passes the context, the first argument of each.
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
} from "../catalog/dataset.ts";
export { isFitted } from "../catalog/fitted.ts";
export { listed, listing, setListing } from "../catalog/listing.ts";
export { createPopulation, population } from "../catalog/population.ts";
export { isPublic, setPublic } from "../catalog/publication.ts";
export { tellRefuted } from "../catalog/refuted.ts";
export { discardUpload, eraseUnread, markChecked } from "../catalog/upload.ts";
export { eraseUploads } from "../release/erase-uploads.ts";
