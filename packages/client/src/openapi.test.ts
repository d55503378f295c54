import { readFile } from "node:fs/promises";
import { errorCodes } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { z } from "zod";
import { openApi } from "./openapi.ts";
import { routeNames, routes } from "./routes.ts";

const document = openApi({ version: "0.0.0" }) as {
  paths: Record<
    string,
    Record<string, { operationId: string; parameters: { name: string; in: string; required: boolean }[] }>
  >;
  components: { schemas: Record<string, object> };
};

/** The same value, its fields in the order of `like`: a route that moves in the code moves nothing in the file under review. */
function inOrderOf(like: unknown, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const order = typeof like === "object" && like !== null ? (like as Record<string, unknown>) : {};
  const given = value as Record<string, unknown>;
  const keys = new Set([...Object.keys(order), ...Object.keys(given)].filter((key) => Object.hasOwn(given, key)));
  return Object.fromEntries([...keys].map((key) => [key, inOrderOf(order[key], given[key])]));
}

test("the document is the one under review", async () => {
  const golden: unknown = JSON.parse(await readFile(new URL("./golden/openapi.json", import.meta.url), "utf8"));
  const ordered = inOrderOf(golden, JSON.parse(JSON.stringify(document)));
  await expect(`${JSON.stringify(ordered, null, 1)}\n`).toMatchFileSnapshot("./golden/openapi.json");
});

test("every route is one operation, under its own path and method", () => {
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(operations.toSorted()).toEqual(routeNames.toSorted());
});

test("every reference leads to a schema, and every schema is used", () => {
  const text = JSON.stringify(document);
  const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = ""]) => target));
  for (const target of references) {
    expect(target).toMatch(/^#\/components\/schemas\/\w+$/);
    expect(document.components.schemas).toHaveProperty(target.slice("#/components/schemas/".length));
  }
  for (const name of Object.keys(document.components.schemas))
    expect(references).toContain(`#/components/schemas/${name}`);
});

test("path parameters are those of the path, and required", () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters } of Object.values(methods)) {
      const declared = parameters.filter((parameter) => parameter.in === "path");
      expect(declared.map(({ name }) => name).toSorted()).toEqual(inPath.toSorted());
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  }
});

test("an input is flat: path, query and body of a route never share a name", () => {
  for (const { params, query, body } of Object.values(routes)) {
    const fields = body !== null && body instanceof z.ZodObject ? Object.keys(body.shape) : [];
    const all = [...Object.keys(params.shape), ...Object.keys(query.shape), ...fields];
    expect(new Set(all).size).toBe(all.length);
  }
});

test("every route names codes that exist, once", () => {
  for (const { errors = [] } of Object.values(routes)) {
    expect(new Set(errors).size).toBe(errors.length);
    for (const code of errors) expect(errorCodes).toHaveProperty(code);
  }
});

/** A field of an object as the formatter writes it: in one line where it fits. */
function fieldOf(name: string, value: unknown, indent = "  "): string {
  if (Array.isArray(value)) return `${indent}${name}: [${value.map((one) => JSON.stringify(one)).join(", ")}],`;
  if (typeof value !== "object" || value === null) return `${indent}${name}: ${JSON.stringify(value)},`;
  const fields = Object.entries(value).map(([key, one]) => fieldOf(key, one, ""));
  const line = `${indent}${name}: { ${fields.join(" ").slice(0, -1)} },`;
  return line.length <= 120
    ? line
    : [`${indent}${name}: {`, ...fields.map((one) => `    ${one}`), `${indent}},`].join("\n");
}

test("what a client needs of every route stands in calls.ts, without a schema", async () => {
  const lines = Object.entries(routes).map(
    ([name, { method, path, query, body, stream, events, media, idempotent }]) => {
      const call = {
        ...{ method, path },
        query: Object.keys(query.shape).length === 0 ? undefined : Object.keys(query.shape),
        body: stream ? "stream" : body === null ? undefined : "json",
        answer: events ? "events" : media === undefined ? undefined : "bytes",
        idempotent,
      };
      return fieldOf(name, present(call));
    },
  );
  const text = `import type { Call } from "./call.ts";
import type { RouteName } from "./routes.ts";

/** Written by \`openapi.test.ts --update\` from the routes. */
export const calls = {
${lines.join("\n")}
} as const satisfies Record<RouteName, Call>;
`;
  await expect(text).toMatchFileSnapshot("./calls.ts");
});
