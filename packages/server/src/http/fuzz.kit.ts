import type { RouteName } from "@dosimeter/client";
import { openApi } from "@dosimeter/client/openapi";
import { problem, routeNames, routes } from "@dosimeter/client/routes";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anyText } from "../../../../test/text.kit.ts";
import type { InstanceOptions } from "../instance/options.ts";
import {
  buildFixture,
  clientOf,
  countPlan,
  csvBytes,
  type Fixture,
  ORIGIN,
  openTestInstance,
} from "../instance.kit.ts";

type Schema = { readonly [keyword: string]: unknown };
type Operation = {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly body: Schema | null;
  /** The statuses that the document names. */
  readonly statuses: readonly string[];
};

const document = openApi({ version: "0" }) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Every operation of the document. */
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, given]): Operation => {
    const { operationId, parameters, requestBody, responses } = given as unknown as Operation & {
      readonly responses: Schema;
      readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
    };
    const body = Object.values(requestBody?.content ?? {})[0]?.schema ?? null;
    return { operationId, method: method.toUpperCase(), path, parameters, body, statuses: Object.keys(responses) };
  }),
);

/** Values that often break parsers, and arbitrary values. */
const wild = () =>
  fc.oneof(
    fc.constantFrom(
      "",
      "0",
      "-1",
      "1e-400",
      "1e400",
      "NaN",
      "Infinity",
      "__proto__",
      "'; DROP TABLE charge; --",
      "<script>",
      "\u0000",
      "\ud800",
      "٣",
      "x".repeat(5000),
    ),
    fc.constantFrom(0, -0, -1, 1e308, 2 ** 53, 0.1, true, false, null),
    fc.jsonValue({ maxDepth: 3 }),
  );

const PLACES: Readonly<Record<string, readonly string[]>> = {
  person: ["member", "stranger", "teamAdmin"],
  onBehalfOf: ["member", "stranger"],
  account: ["memberAccount", "teamAccount"],
  parent: ["teamAccount"],
  to: ["memberAccount", "teamAccount"],
};

/** Ids of the fixture, mostly of the kind that the field needs, so that requests get past the look-up. */
const idFor = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...(PLACES[name] ?? [name])).map((place) => `@${place}`) },
    { weight: 1, arbitrary: fc.constantFrom("@dataset", "@ledger", "@team", "@memberAccount", "@member", "@nothing") },
  );

const MAX_DEPTH = 6;

/** Values that match a schema of the document, or nearly do: the server must answer these too. */
function shaped(schema: Schema, name = "", depth = 0): fc.Arbitrary<unknown> {
  const within = (inner: unknown, of = name) => shaped(inner as Schema, of, depth + 1);
  const { $ref, anyOf, oneOf, allOf, enum: values, properties, items, prefixItems, required = [] } = schema;
  const of = (): fc.Arbitrary<unknown> => {
    if (depth > MAX_DEPTH) return fc.constant(null);
    if ($ref === "#/components/schemas/Id") return idFor(name);
    if (typeof $ref === "string") return within(document.components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
    const choices = anyOf ?? oneOf ?? allOf;
    if (Array.isArray(choices)) return fc.oneof(...choices.map((choice) => within(choice)));
    if (Array.isArray(values)) return fc.constantFrom(...values);
    if ("const" in schema) return fc.constant(schema.const);
    if (typeof properties === "object" && properties !== null) {
      const fields = Object.entries(properties).map(([field, inner]) => [field, within(inner, field)] as const);
      return fc.record(Object.fromEntries(fields), { requiredKeys: required as string[] });
    }
    if (Array.isArray(prefixItems)) return fc.tuple(...prefixItems.map((item) => within(item)));
    switch (schema.type) {
      case "array":
        return fc.array(within(items ?? {}), { maxLength: 3 });
      case "integer":
        return fc.integer({ min: -1, max: 100 });
      case "number":
        return fc.double({ min: -1, max: 10 });
      case "boolean":
        return fc.boolean();
      case "string":
        return fc.constantFrom(
          "0.1",
          "1",
          "1e-8",
          "1e30",
          "age",
          "sex",
          "staff",
          "a@example.org",
          "count",
          "2030-01-01T00:00:00Z",
        );
      default:
        return wild();
    }
  };
  return fc.oneof({ weight: 25, arbitrary: of() }, { weight: 1, arbitrary: wild() });
}

/** Operations that break the fixture come last. */
const ENDS = /^(remove|close|leave|revoke|end|freeze|unpublish|signOut|disable|setPassword)/;
const ordered = operations.toSorted((a, b) => Number(ENDS.test(a.operationId)) - Number(ENDS.test(b.operationId)));

/** Whether an answer shows private data: rows of the table, paths of this machine, code, or secrets of the server. */
const isPrivate = ({ instance }: Fixture, secret: string) => {
  const { folder } = instance as Fixture["instance"] & { readonly folder: string };
  return (text: string): string | null => {
    if (/7123450\d/.test(text)) return "a value of a row";
    if (/node_modules|\.ts:\d|at async |SQLITE_|PostgreSQL error/.test(text)) return "a trace";
    return [folder, secret, instance.operatorToken].find((each) => text.includes(each)) ?? null;
  };
};

/** Makes open requests, invitations and the like in the fixture, and returns their ids. */
async function eventsOf({ as, instance, people, dataset, ledger, memberAccount, team }: Fixture) {
  const operator = clientOf(instance, instance.operatorToken);
  const role = { person: people.stranger, role: "datasetAdmin", object: { kind: "dataset", id: dataset } } as const;
  const asked = { dataset, account: memberAccount, epsilon: "0.1" };
  const { id: release } = await as.member.releaseAndWait({ dataset, account: memberAccount, plan: countPlan() });
  return {
    release,
    link: (await as.datasetAdmin.publishRelease({ release, confirmed: ["people"] })).url?.split("/").at(-1),
    dashboard: (await as.member.saveDashboard({ name: "board", parts: [{ kind: "release", id: release }], team })).id,
    request: (await as.member.createRequest(asked)).id,
    file: (await as.datasetAdmin.uploadFile({ name: "more.csv", content: csvBytes("a\n1\n") })).id,
    role: (await operator.grantRole(role)).id,
    amendment: (await as.datasetAdmin.proposeAmendment({ ledger, epsilon: "6", delta: "1e-6", reason: "more" })).id,
    invitation: (await as.teamAdmin.invite({ team })).id,
    token: (await as.member.createToken({ name: "another", scopes: ["read"] })).id,
    population: (await as.datasetAdmin.setPublication({ ledger, isPublic: true })).population,
  };
}

export interface Fuzzing {
  readonly options: () => Promise<{ readonly instance: Partial<InstanceOptions>; readonly secret: string }>;
  /** Requests to each route. */
  readonly runs: number;
}

/** Tests every route of the document with valid and with arbitrary input: no 5xx, and no private data in any answer. */
export function fuzzKit({ options, runs }: Fuzzing): void {
  let fixture: Fixture & Awaited<ReturnType<typeof eventsOf>>;
  let leak: (text: string) => string | null;
  beforeAll(async () => {
    const { instance, secret } = await options();
    const built = await buildFixture(await openTestInstance(instance));
    fixture = { ...built, ...(await eventsOf(built)) };
    leak = isPrivate(fixture, secret);
  });
  afterAll(() => fixture.instance.close());

  test("the document has every route", () => {
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual([...routeNames].toSorted());
  });

  test.each(ordered.map((operation) => [operation.operationId, operation] as const))(
    "nothing that can be sent to %s is answered with a 5xx, a trace, a value, or what the document does not say",
    (_, { operationId, method, path, parameters, body, statuses }) => {
      const places = { ...fixture, ...fixture.people } as unknown as Readonly<Record<string, unknown>>;
      const named = (given: unknown): unknown => {
        if (typeof given === "string" && given.startsWith("@")) return String(places[given.slice(1)] ?? "x");
        if (Array.isArray(given)) return given.map(named);
        if (typeof given !== "object" || given === null) return given;
        return Object.fromEntries(Object.entries(given).map(([field, inner]) => [field, named(inner)]));
      };
      const sendable = (given: unknown): string => String(named(given)).slice(0, 200).toWellFormed();
      const about = parameters.filter(({ in: where }) => where !== "header");
      return fc.assert(
        fc.asyncProperty(
          fc.record(Object.fromEntries(about.map(({ name, schema }) => [name, shaped(schema, name)])), {
            requiredKeys: about.filter(({ in: where }) => where === "path").map(({ name }) => name),
          }),
          fc.oneof(
            { weight: 4, arbitrary: shaped(body ?? {}) },
            { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
          ),
          fc.constantFrom(...Object.values(fixture.tokens), "wrong"),
          anyText(),
          async (given, sent, token, key) => {
            const url = new URL(
              path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(sendable(given[name])) || "x"),
              ORIGIN,
            );
            for (const { name, in: where } of about)
              if (where === "query" && given[name] !== undefined) url.searchParams.set(name, sendable(given[name]));
            if (url.searchParams.has("wait")) url.searchParams.set("wait", "0");
            const headers = new Headers({ authorization: `Bearer ${token}`, "content-type": "application/json" });
            try {
              headers.set("idempotency-key", key);
            } catch {
              // No such header can be sent at all.
            }
            const text = JSON.stringify(named(sent));
            const request = new Request(url, { method, headers, ...(method === "POST" ? { body: text } : {}) });
            const response = await fixture.instance.fetch(request);
            expect(response.status).toBeLessThan(500);
            const answer = await response.text();
            expect(leak(answer)).toBeNull();
            expect(statuses).toContain(String(response.status));
            const schema = response.status >= 400 ? problem : routes[operationId as RouteName].response;
            if (schema !== null && response.headers.get("content-type")?.includes("json"))
              expect(schema.parse(JSON.parse(answer))).toEqual(JSON.parse(answer));
            else expect(response.status).toBeLessThan(400);
          },
        ),
        { numRuns: runs },
      );
    },
  );
}
