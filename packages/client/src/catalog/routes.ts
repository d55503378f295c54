import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { blocks, id, page, searched } from "../schema.ts";

const MAX_DESCRIPTION = 2000;

const catalogDataset = z
  .object({
    id,
    name: z.string(),
    description: z.string().meta({ description: "In the words of its admins; may be empty" }),
    privacyUnit: z.string().meta({ description: "What one protected unit is called" }),
    blocks,
    stewards: z.array(z.string()).meta({ description: "Names of its admins, who decide" }),
  })
  .meta({ id: "CatalogDataset" });

const catalogColumn = z
  .object({ name: z.string(), type: z.string(), label: z.string().nullable(), description: z.string().nullable() })
  .meta({ id: "CatalogColumn" });

const listing = z
  .object({
    isListed: z.boolean().meta({
      description: "Whether people who may not see it find it in the catalogue, from when its ledger is open",
    }),
    showsColumns: z.boolean().meta({ description: "Whether they read its declared columns there" }),
    description: z.string(),
  })
  .meta({ id: "Listing" });

export const catalogRoutes = {
  listCatalog: {
    route: "GET /v1/catalog",
    summary: "Datasets that I cannot see and may ask for: those that their admins list; found by name only",
    who: "signedIn",
    scope: "read",
    query: searched,
    response: page(catalogDataset),
  },
  showCatalogDataset: {
    route: "GET /v1/catalog/{dataset}",
    summary: "What the catalogue says of one dataset: never its ledger, spending, answers or rows",
    who: "catalogReader",
    scope: "read",
    response: catalogDataset.extend({
      columns: z.array(catalogColumn).nullable().meta({ description: "null where its admins do not list them" }),
      isVisible: z.boolean().meta({ description: "Whether I see the dataset itself already" }),
    }),
  },
  showListing: {
    route: "GET /v1/datasets/{dataset}/listing",
    summary: "Whether a dataset is in the catalogue, and what it says there",
    who: "datasetReader",
    scope: "read",
    response: listing,
  },
  setListing: {
    route: "POST /v1/datasets/{dataset}/listing",
    summary:
      "Put a dataset into the catalogue of this instance, or take it out; its description; with its columns or without",
    who: "datasetAdmin",
    scope: "manage",
    body: z.strictObject({
      isListed: z.boolean().optional(),
      showsColumns: z.boolean().optional(),
      description: z.string().max(MAX_DESCRIPTION).optional(),
    }),
    response: listing,
  },
} as const satisfies RouteTable;
