import { type Route, type RouteName, routeNames, routes } from "@dosimeter/client";
import { wire } from "@dosimeter/client/wire";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWorld, ORIGIN, openTestHouse, type World } from "./house.kit.ts";

let world: World;
beforeAll(async () => {
  world = await buildWorld(await openTestHouse());
});
afterAll(() => world.house.close());

/** Values that have broken parsers before, ids of the world, and anything at all. */
const value = () =>
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
      "٣",
      "x".repeat(5000),
    ),
    fc.constantFrom(0, -0, -1, 1e308, 2 ** 53, 0.1, true, false, null),
    fc
      .constantFrom("world.dataset", "world.ledger", "world.team", "world.memberAccount", "world.teamAccount")
      .map((name) => `@${name}`),
    fc.jsonValue({ maxDepth: 3 }),
  );

function named(given: unknown): unknown {
  const places: Record<string, string> = {
    "@world.dataset": world.dataset,
    "@world.ledger": world.ledger,
    "@world.team": world.team,
    "@world.memberAccount": world.memberAccount,
    "@world.teamAccount": world.teamAccount,
  };
  return typeof given === "string" ? (places[given] ?? given) : given;
}

const RUNS = 12;
/** What ends the world that the others are tested in. */
const left: readonly RouteName[] = ["signOut"];

test.each(routeNames.filter((name) => !left.includes(name)))(
  "nothing that can be sent to %s is answered with a 5xx",
  (name) => {
    const route: Route = routes[name];
    const { params, query, body } = wire[name];
    const fields = (names: readonly string[]) =>
      fc.record(Object.fromEntries(names.map((field) => [field, value()])), { requiredKeys: [] });
    const inBody = body !== null && "shape" in body ? Object.keys(body.shape) : [];
    return fc.assert(
      fc.asyncProperty(
        fc.tuple(...Object.keys(params.shape).map(() => value())),
        fields(Object.keys(query.shape)),
        fc.oneof(fields(inBody), fc.jsonValue({ maxDepth: 2 })),
        fc.constantFrom(...Object.values(world.tokens), "wrong"),
        fc.string({ unit: "binary" }),
        async (ids, search, sent, token, key) => {
          let index = 0;
          const path = route.path.replace(
            /\{\w+\}/g,
            () => encodeURIComponent(String(named(ids[index++])).slice(0, 200).toWellFormed()) || "x",
          );
          const url = new URL(path, ORIGIN);
          for (const [field, given] of Object.entries(search)) url.searchParams.set(field, String(given).slice(0, 200));
          if (url.searchParams.has("wait")) url.searchParams.set("wait", "0");
          const deep =
            typeof sent === "object" && sent !== null && !Array.isArray(sent)
              ? Object.fromEntries(Object.entries(sent).map(([k, v]) => [k, named(v)]))
              : sent;
          const headers = new Headers({ authorization: `Bearer ${token}`, "content-type": "application/json" });
          try {
            headers.set("idempotency-key", key);
          } catch {
            // No such header can be sent at all.
          }
          const request = new Request(url, {
            method: route.method,
            headers,
            ...(route.method === "POST" ? { body: JSON.stringify(deep) } : {}),
          });
          const response = await world.house.fetch(request);
          expect(response.status).toBeLessThan(500);
          const text = await response.text();
          expect(text).not.toMatch(/node_modules|\.ts:\d|at async/);
          if (response.status >= 400)
            expect(JSON.parse(text)).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) });
        },
      ),
      { numRuns: RUNS, seed: 20261121 },
    );
  },
);
