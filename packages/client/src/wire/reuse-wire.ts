import { z } from "zod";
import { cursor, id, none, page } from "./basic.ts";
import {
  combination,
  combinationInput,
  datasetVersion,
  libraryQuery,
  releasedStatistic,
  reusePolicy,
  savings,
  versionInput,
} from "./reuse.ts";

const dataset = z.strictObject({ dataset: id });

/** The schemas of `reuseRoutes`. */
export const reuseWire = {
  listReleased: {
    params: dataset,
    query: cursor.extend(libraryQuery.shape),
    body: null,
    response: page(releasedStatistic),
  },
  showReuse: { params: dataset, query: none, body: null, response: savings },
  setReusePolicy: { params: dataset, query: none, body: reusePolicy, response: savings },
  combineReleased: { params: dataset, query: none, body: combinationInput, response: combination },
  listVersions: {
    params: dataset,
    query: none,
    body: null,
    response: z.object({ items: z.array(datasetVersion) }),
  },
  createVersion: { params: dataset, query: none, body: versionInput, response: datasetVersion },
} as const;
