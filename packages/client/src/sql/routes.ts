import { z } from "zod";
import { plan, purpose, quote, quoteRequest } from "../releases/plan.ts";
import { errorsOfQuote, errorsOfRelease, release } from "../releases/routes.ts";
import type { RouteTable } from "../route.ts";
import { decimalInput, id, wait } from "../schema.ts";

const { account, reuse, asOf, people } = quoteRequest.shape;

const sqlRequest = z.strictObject({
  sql: z.string().meta({
    description: "One SELECT, or several with ; between them, about the dataset that FROM names, by name or id",
    examples: ["SELECT sex, AVG(income) FROM adults GROUP BY sex"],
  }),
  account,
  epsilon: decimalInput.optional().meta({
    description:
      "The total, split evenly between the aggregates; absent where OPTIONS(epsilon = …) states it. There is no default",
  }),
  rho: decimalInput.optional().meta({ description: "The same for Gaussian noise" }),
  delta: decimalInput
    .optional()
    .meta({ description: "For groups that are found in rows, where OPTIONS do not state it" }),
  reuse,
  asOf,
  window: plan.shape.window,
});

const cell = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.number(), z.string(), z.null()])),
]);

const sqlTable = z
  .object({
    columns: z.array(z.string()),
    rows: z.array(z.array(cell)).meta({
      description: "After HAVING, ORDER BY and LIMIT, which cost nothing; null where an answer is unreliable",
    }),
    notes: z.array(z.string()).meta({ description: "What a reader must know of the values" }),
  })
  .meta({ id: "SqlTable" });

const columns = z.array(
  z.object({ name: z.string(), type: z.enum(["number", "text", "boolean", "list"]) }).meta({ id: "SqlColumn" }),
);

const read = {
  dataset: id,
  plan,
  notes: z.array(z.string()),
};

export const sqlRoutes = {
  quoteSql: {
    route: "POST /v1/sql/quote",
    summary:
      "The plan that SQL asks for, and its quote; a refusal says line and column. Reads no data and changes nothing",
    who: "accountReader",
    scope: "read",
    body: sqlRequest.extend({ people }),
    response: z.object({
      ...read,
      columns: z.array(columns).meta({ description: "Of the table of each SELECT; a date is a text" }),
      quote,
    }),
    errors: [...errorsOfQuote, "CONFLICT"],
  },
  releaseSql: {
    route: "POST /v1/sql/release",
    summary: "Charge and release the plan that SQL asks for, as createRelease does; its answers come as tables too",
    who: "accountSpender",
    scope: "release",
    query: wait,
    body: sqlRequest.extend({
      dataset: id.optional().meta({ description: "The one that was quoted: refused where FROM names another one now" }),
      purpose: purpose.optional(),
      exact: z.boolean().optional().meta({
        description: "Tables with all digits that were released; else those that mean something next to the error",
      }),
    }),
    response: z.object({
      ...read,
      tables: z.array(sqlTable).nullable().meta({ description: "One for each SELECT; null until the release is done" }),
      release,
    }),
    status: 202,
    idempotent: true,
    errors: errorsOfRelease,
  },
} as const satisfies RouteTable;
