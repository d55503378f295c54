import { expect, test } from "vitest";
import { refusal } from "./table.ts";

test.each([
  ["citext", "text", "a view can convert it, as lower(x::text)"],
  ["money", "number", "x::numeric"],
  ["inet", "text", "host(x)"],
  ["interval", "number", "extract(epoch FROM x)"],
  ["jsonb", "category", "x ->> 'field'"],
  ["numeric", "text", "x::text"],
  ["tsvector", "text", "x::text"],
] as const)("a column stored as %s that is declared a %s is refused with its cast", (storage, type, way) => {
  expect(refusal({ type, provenance: "public" }, storage, false)).toMatch(`is stored as ${storage}`);
  expect(refusal({ type, provenance: "public" }, storage, false)).toContain(way);
});
