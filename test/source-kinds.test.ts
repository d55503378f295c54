import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectionKinds, sourceKinds } from "@dosimeter/query/source";
import { describe, expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const engines = globSync("packages/engines/src/*/engine.test.ts", { cwd: root }).map((path) => path.split("/")[3]);

test("every kind of source has its folder", () => expect(engines).toHaveLength(Object.keys(sourceKinds).length));

test.each(engines)("the engine in %s runs the conformance kit", (folder) => {
  const files = [`packages/engines/src/${folder}/engine.test.ts`, `packages/engines/src/${folder}/engine.long.test.ts`];
  expect(files.filter((file) => existsSync(join(root, file))).some((file) => read(file).includes("engineKit("))).toBe(
    true,
  );
});

test.each(Object.values(sourceKinds).flatMap(({ fields }) => Object.keys(fields)))(
  "the field %s of a source is in docs/declaration.md",
  (field) => expect(read("docs/declaration.md")).toMatch(new RegExp(`\`\\{${field}\\b`)),
);

describe.each(connectionKinds)("connections of kind %s", (kind) => {
  test("have an example in docs/operations.md", () => {
    const [scheme] = sourceKinds[kind].connection.schemes;
    expect(read("docs/operations.md")).toContain(`"url": "${scheme}//`);
  });
});

test("pages know the kind of a connection: the only one there is, or the one that the server says", () => {
  const api = JSON.parse(read("packages/client/src/golden/openapi.json"));
  const { properties } = api.components.schemas.Connection;
  expect(connectionKinds.length === 1 || "kind" in properties).toBe(true);
});
