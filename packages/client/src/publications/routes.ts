import { z } from "zod";
import type { RouteTable } from "../route.ts";
import { id, time } from "../schema.ts";

const publication = z
  .object({
    release: id,
    isPublic: z.boolean().meta({ description: "Whether a link leads to it now" }),
    url: z.string().nullable().meta({ description: "The address of its page, shown once; null afterwards" }),
    title: z.string().nullable().meta({ description: "As its publisher calls it; null: what it asks" }),
    isIndexed: z.boolean().meta({ description: "Whether search engines may list it" }),
    changedAt: time.nullable().meta({ description: "null: it was never public" }),
    expiresAt: time.nullable(),
    values: z.array(z.string()).meta({
      description:
        "What people typed into its plan, such as conditions, bins, bounds and names of rows, which everyone would read",
    }),
  })
  .meta({ id: "ReleasePublication" });

export const publicationsRoutes = {
  showPublication: {
    route: "GET /v1/releases/{release}/publication",
    summary: "Whether a release is public, and which typed values its publisher confirms",
    who: "releaseAdmin",
    scope: "read",
    response: publication,
  },
  publishRelease: {
    route: "POST /v1/releases/{release}/publication",
    summary:
      "A page that everyone with its link reads: it counts against every cap of the ledger, once, or is refused where one has no room. Again: another link",
    who: "releaseAdmin",
    scope: "manage",
    body: z.strictObject({
      title: z.string().max(200).nullish().meta({ description: "1 to 200 characters; null: what it asks" }),
      days: z.number().int().min(1).max(3660).optional().meta({ description: "Until its link ends; 365 when absent" }),
      isIndexed: z.boolean().optional().meta({ description: "Whether search engines may list it; not when absent" }),
      confirmed: z.array(z.string().max(20_000)).max(1000).optional().meta({
        description: "Every value of `values`: none of them says something about one person",
      }),
    }),
    response: publication,
    errors: ["QUOTA_EXHAUSTED", "CONFLICT"],
  },
  unpublishRelease: {
    route: "DELETE /v1/releases/{release}/publication",
    summary: "End the link of a public release; what was seen stays seen, and counted",
    who: "releaseAdmin",
    scope: "manage",
  },
  showPublicAnswer: {
    route: "GET /public/answers/{link}",
    summary:
      "The page of a public release: its answers with intervals, its guarantee and its citation, without scripts",
    who: "anyone",
    scope: null,
    media: "text/html",
  },
  showPublicChart: {
    route: "GET /public/answers/{link}/chart",
    summary: "One answer of a public release as a picture",
    who: "anyone",
    scope: null,
    query: z.object({
      row: id.optional().meta({ description: "Which answer; the first that has a picture when absent" }),
    }),
    media: "image/svg+xml",
  },
} as const satisfies RouteTable;
