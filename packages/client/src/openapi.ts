import { errorCodes } from "@dosimeter/core";
import { z } from "zod";
import { relations, scopes } from "./authority.ts";
import { everyRoute, type Route } from "./route.ts";
import { type RouteName, routes, routeTables } from "./routes.ts";
import { problem } from "./schema.ts";
import { statusOf } from "./status.ts";

type Json = Record<string, unknown>;

export function openApi({ version }: { readonly version: string }): Json {
  const paths: Record<string, Json> = {};
  for (const [tag, table] of Object.entries(routeTables))
    for (const name of Object.keys(table) as RouteName[]) {
      const route = routes[name];
      const described = { operationId: name, tags: [tag], ...operation(route) };
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described };
    }
  return {
    openapi: "3.1.0",
    info: {
      title: "Dosimeter",
      version,
      description:
        "Plan, price and release differentially private statistics against a ledger that cannot overspend. Amounts are exact decimal strings.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: `Scopes: ${describe(scopes)}` },
        session: { type: "apiKey", in: "cookie", name: "dosimeter" },
      },
      schemas: components(),
    },
    tags: Object.keys(routeTables).map((name) => ({ name })),
  };
}

function operation(route: Route): Json {
  const codes = [...everyRoute, ...(route.errors ?? [])];
  const statuses = [...new Set(codes.map((code) => statusOf[code]))].sort((a, b) => a - b);
  return {
    summary: route.summary,
    description: `Who: ${relations[route.who].means}.${route.scope === null ? "" : ` Scope: ${route.scope}.`}`,
    ...(route.who === "anyone" ? { security: [] } : {}),
    parameters: [
      ...parameters(route.params, "path"),
      ...parameters(route.query, "query"),
      ...(route.idempotent ? [KEY] : []),
    ],
    ...requestBody(route),
    responses: {
      [route.status]: success(route),
      ...Object.fromEntries(
        statuses.map((status) => [
          status,
          {
            description: codes
              .filter((code) => statusOf[code] === status)
              .map((code) => `${code}: ${errorCodes[code]}`)
              .join("; "),
            content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
          },
        ]),
      ),
    },
  };
}

const KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: true,
  description: "1 to 200 printable characters; the same key is charged once and answers the same bytes",
  schema: { type: "string", minLength: 1, maxLength: 200 },
};

function parameters(object: z.ZodObject, where: "path" | "query"): readonly Json[] {
  return Object.entries(object.shape).map(([name, schema]) => {
    const { description, ...shape } = schemaOf(schema as z.ZodType, "input") as Json & { description?: string };
    return {
      name,
      in: where,
      required: where === "path" || !(schema as z.ZodType).safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: shape,
    };
  });
}

function requestBody({ stream, body }: Route): Json {
  if (stream)
    return {
      requestBody: {
        required: true,
        content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
      },
    };
  if (body === null) return {};
  return { requestBody: { required: true, content: { "application/json": { schema: schemaOf(body, "input") } } } };
}

function success({ media, events, summary, response }: Route): Json {
  if (media !== undefined) {
    const schema = { type: "string", format: "binary" };
    const content = Object.fromEntries([media].flat().map((one) => [one, { schema }]));
    return { description: summary, content };
  }
  if (response === null) return { description: summary };
  const type = events ? "text/event-stream" : "application/json";
  return { description: summary, content: { [type]: { schema: schemaOf(response, "output") } } };
}

const AT = "#/components/schemas/";

/** Schemas with an id become references; one used for input and output alike is written once. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, $defs: __, ...rest } = jsonSchema(schema, io);
  const self = schema.meta()?.id;
  return self === undefined ? lifted(rest) : { $ref: `${AT}${self}` };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  return z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json;
}

function components(): Json {
  const found: Json = { Problem: definition(jsonSchema(problem, "output")) };
  for (const { params, query, body, response } of Object.values(routes)) {
    for (const [schema, io] of [
      [params, "input"],
      [query, "input"],
      [body, "input"],
      [response, "output"],
    ] as const) {
      if (schema === null) continue;
      const whole = jsonSchema(schema, io);
      for (const [id, part] of Object.entries((whole.$defs ?? {}) as Json)) found[id] ??= definition(part as Json);
      const self = schema.meta()?.id;
      if (self !== undefined) found[self] ??= definition(whole);
    }
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function definition(schema: Json): Json {
  const { $schema: _, $defs: __, id: ___, ...rest } = schema;
  return lifted(rest);
}

/** `$defs` of the one schema become components of the document. */
function lifted(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${AT}`)) as Json;
}

function describe(table: Record<string, string>): string {
  return Object.entries(table)
    .map(([name, means]) => `${name} (${means})`)
    .join(", ");
}
