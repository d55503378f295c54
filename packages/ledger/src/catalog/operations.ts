// The public operations of this room. Each function takes the context first; `LedgerDatabase` binds it.
export {
  addVersion,
  createDataset,
  dataset,
  datasetAt,
  datasets,
  datasetsOf,
  names,
  sources,
  versions,
} from "./dataset.ts";
export { createPopulation, population, populations } from "./population.ts";
export { isPublic, setPublic } from "./publication.ts";
