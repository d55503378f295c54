import type { RouteName } from "@dosimeter/client";
import { expect, test } from "vitest";
import { askedEpsilon } from "./amount.ts";
import { parseInput } from "./input.ts";

async function refusalOf(route: RouteName, body: unknown, query = ""): Promise<string> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { "content-type": "application/json", "idempotency-key": "k" };
  const request = new Request(`http://localhost/${query}`, { method: "POST", headers, body: text });
  return parseInput(route, request, {}).then(
    () => "nothing was refused",
    (error: Error) => error.message,
  );
}

test.each<[RouteName, unknown, string]>([
  ["createTeam", { name: "" }, 'body.name is "", must be at least 1 character'],
  ["createTeam", { name: 5 }, "body.name is 5, must be a text"],
  ["createTeam", {}, "body.name is missing, must be a text"],
  ["createTeam", { name: "x", colour: "red" }, 'body.colour is "red", must be absent: nobody reads it'],
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

test("ε beyond what any ledger may promise is refused before the books see it, which could not hold it", () => {
  expect(() => askedEpsilon("1e400")).toThrow('body.epsilon is "1e400", must be at most 1e6');
  expect(() => askedEpsilon("1000000.000000000001", "body.most")).toThrow("body.most");
  expect(askedEpsilon("1e6")).toBe(10n ** 18n);
});
