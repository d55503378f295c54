import type { RouteName } from "@dosimeter/client";
import { routeNames, routes, secretFieldsOf } from "@dosimeter/client/routes";
import { PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { problemOf } from "../view/problem.ts";
import { askedEpsilon } from "./amount.ts";
import { parseInput } from "./input.ts";

async function refused(route: RouteName, body: unknown, query = ""): Promise<PrivacyError> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json", "idempotency-key": "k" };
  const request = new Request(`http://localhost/${query}`, { method: "POST", headers, body: text });
  return parseInput(route, request, {}).then(
    () => new PrivacyError("INTERNAL", {}, "nothing was refused"),
    (error: PrivacyError) => error,
  );
}

const refusalOf = async (route: RouteName, body: unknown): Promise<string> => (await refused(route, body)).message;

/** Every word of a refusal that leaves. */
const wholeOf = async (route: RouteName, body: unknown, query = ""): Promise<string> =>
  JSON.stringify(problemOf(await refused(route, body, query)));

test.each<[RouteName, unknown, string]>([
  ["createTeam", { name: "" }, 'body.name is "", must be at least 1 character'],
  ["createTeam", { name: 5 }, "body.name is 5, must be a text"],
  ["createTeam", {}, "body.name is missing, must be a text"],
  [
    "createTeam",
    { name: "x", colour: "red" },
    "body.colour is not known, must be absent: it is not a field of this request",
  ],
  ["createTeam", { name: ["x"] }, 'body.name is "a list", must be a text'],
  ["createPerson", { name: "e", email: "<a>@b" }, 'body.email is "<a>@b", must be an address such as ada@example.org'],
  ["createPerson", { name: "e", kind: "boss" }, 'body.kind is "boss", must be one of user, service, agent'],
  ["createToken", { name: "t", scopes: [] }, 'body.scopes is "a list", must be at least 1 entry'],
  ["createToken", { name: "t", scopes: ["read"], days: 400 }, "body.days is 400, must be at most 366"],
  ["createToken", { name: "t", scopes: ["read"], days: 1.5 }, "body.days is 1.5, must be a whole number"],
  ["createRequest", { dataset: "dat_1", epsilon: [] }, 'body.epsilon is "a list", must be a text or a number'],
])("%s refuses %j with what was given and what it must be", async (route, body, message) => {
  expect(await refusalOf(route, body)).toBe(message);
});

test("a body that nests deeper than any use of it is refused before it is read, brackets in texts do not count", async () => {
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const)
    expect(await refusalOf("quotePlan", `{"plan":${open.repeat(100_000)}1${close.repeat(100_000)}}`), open).toBe(
      "the body nests deeper than 200 levels",
    );
  expect(await refusalOf("createTeam", { name: `\\"${"[{".repeat(90)}` })).toBe("nothing was refused");
});

test("a long value is cut, and what opens something is never repeated", async () => {
  expect(await refusalOf("createTeam", { name: "x".repeat(10_000) })).toMatch(
    /^body.name is "x{79}…, must be at most 200 characters$/,
  );
  expect(await refusalOf("setPassword", { password: "short" })).toBe("body.password must be at least 12 characters");
  for (const [route, field] of [
    ["setPassword", "password"],
    ["signIn", "token"],
    ["signIn", "link"],
    ["acceptInvitation", "secret"],
  ] as const)
    expect(await refusalOf(route, { [field]: `hunter2${"x".repeat(9_000)}` })).not.toContain("hunter2");
});

test("of a body that opens something nothing is repeated, whatever its fields are called", async () => {
  const fields = ["passwort", "Password", "PASSWORD", "Token", "x"];
  const bodies = [
    JSON.stringify("hunter2"),
    ["hunter2"],
    ...fields.flatMap((field) => [{ [field]: "hunter2" }, { [field]: { deep: ["hunter2"] } }]),
    { email: "hunter2", password: "hunter2", passwort: "hunter2" },
    { link: "dsl_1", passwort: "hunter2" },
  ];
  const secretive = routeNames.filter((name) => secretFieldsOf(routes[name].body).length > 0);
  expect(secretive).toEqual([
    ...["signIn", "resetPassword", "createFirstAdmin", "setPassword"],
    ...["beginSecondFactor", "confirmSecondFactor", "endSecondFactor", "startSecondFactor"],
    ...["showInvitation", "acceptInvitation"],
    "addConnection",
  ]);
  for (const route of secretive)
    for (const body of bodies)
      expect(await wholeOf(route, body), `${route} ${JSON.stringify(body)}`).toMatch(
        /^(?!.*(hunter2|"got")).*INVALID_PARAMETER/,
      );
  expect(await wholeOf("createTeam", { name: "x", Password: "hunter2" })).not.toContain("hunter2");
});

/** Fields whose names read like a secret and are none: by which a charge is made once, how groups are found, whom a team lets in. */
const PUBLIC = ["key", "keys", "keysFrom", "keyShare", "linksAdmit"];

test.each(routeNames.map((name) => [name, routes[name].body] as const))(
  "%s marks every field that reads like a secret",
  (_, body) => {
    const secretive = namesIn(body === null ? {} : z.toJSONSchema(body, { io: "input", unrepresentable: "any" }))
      .filter((name) => /secret|passw|token|key|link|invitation|credential/i.test(name))
      .filter((name) => !PUBLIC.includes(name));
    expect(secretFieldsOf(body)).toEqual(expect.arrayContaining(secretive));
  },
);

/** The names of all properties in a JSON schema. */
const namesIn = (schema: unknown): readonly string[] =>
  typeof schema !== "object" || schema === null
    ? []
    : Object.entries(schema).flatMap(([key, value]) => [
        ...(key === "properties" ? Object.keys(value) : []),
        ...namesIn(value),
      ]);

test("neither what was given nor the name of a field is repeated beyond 80 characters", async () => {
  const { details } = await refused("createTeam", { name: `${"x".repeat(79)}🙂${"x".repeat(10_000)}` });
  expect(details.got).toBe(`${"x".repeat(79)}…`);
  const long = "y".repeat(10_000);
  expect((await refused("createTeam", { name: "x", [long]: 1 })).details.name).toBe(`body.${"y".repeat(80)}…`);
  for (const [body, query] of [
    [{ name: "x", [long]: 1 }, ""],
    [{ name: "x" }, `?${long}=1`],
    [{ name: "x" }, `?${long}=1&${long}=2`],
  ] as const)
    expect(await wholeOf("createTeam", body, query)).toMatch(/^(?!.*y{81}).*INVALID_PARAMETER/);
  expect(await wholeOf("signIn", { link: "dsl_1", [long]: 1 })).not.toContain("y".repeat(81));
});

test("ε beyond what any ledger may promise is refused before the ledger database, which could not store it", () => {
  expect(() => askedEpsilon("1e400")).toThrow('body.epsilon is "1e400", must be at most 1e6');
  expect(() => askedEpsilon("1000000.000000000001", "body.most")).toThrow("body.most");
  expect(askedEpsilon("1e6")).toBe(10n ** 18n);
});
