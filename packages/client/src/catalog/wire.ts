import { z } from "zod";
import { blocks, id, page, searched } from "../schema.ts";
import type { WireOf } from "../wire-row.ts";
import type { catalogRoutes } from "./routes.ts";

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

/** What travels on the routes of this tag. */
export const catalogWire = {
  listCatalog: { query: searched, response: page(catalogDataset) },
  showCatalogDataset: {
    response: catalogDataset.extend({
      columns: z.array(catalogColumn).nullable().meta({ description: "null where its admins do not list them" }),
      isVisible: z.boolean().meta({ description: "Whether I see the dataset itself already" }),
    }),
  },
  showListing: { response: listing },
  setListing: {
    body: z.strictObject({
      isListed: z.boolean().optional(),
      showsColumns: z.boolean().optional(),
      description: z.string().max(MAX_DESCRIPTION).optional(),
    }),
    response: listing,
  },
} as const satisfies WireOf<typeof catalogRoutes>;
