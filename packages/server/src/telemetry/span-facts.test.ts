import fc from "fast-check";
import { expect, test } from "vitest";
import { attributesOf, type SpanFacts, spanFacts } from "./span-facts.ts";

const full = {
  route: "createRelease",
  request: "0b8f9a52-7d0c-4f7e-9a54-0a2f8e6d1c3b",
  status: 202,
  code: "BUDGET_EXHAUSTED",
  dataset: "dat_01kb2x9ynmzq4w8h7c3d",
  statistics: ["count", "median"],
  departure: 156.25,
} as const;

test("a span says what it knows, under names of its own", () => {
  const said = Object.fromEntries(Object.entries(full).map(([name, value]) => [`dosimeter.${name}`, value]));
  expect(attributesOf(full)).toEqual(said);
  expect(Object.keys(full)).toEqual(Object.keys(spanFacts));
});

test("[M418] no fact leaves that the list does not name, nor one of another form, whatever a span is given", () => {
  const names = fc.oneof(fc.constantFrom(...Object.keys(spanFacts)), fc.string());
  const values = fc.oneof(
    fc.anything(),
    fc.constantFrom(...Object.values(full)),
    fc.string().map((text) => [text]),
  );
  fc.assert(
    fc.property(fc.dictionary(names, values), (given) => {
      for (const [name, value] of Object.entries(attributesOf(given as SpanFacts))) {
        const fact = name.replace(/^dosimeter\./, "") as keyof typeof spanFacts;
        expect(Object.hasOwn(spanFacts, fact)).toBe(true);
        expect(spanFacts[fact](value)).toBe(true);
      }
    }),
  );
  const words = fc.string().filter((text) => !["me", "mcp", "scim", "count", "search"].includes(text));
  fc.assert(
    fc.property(words, fc.constantFrom(...Object.keys(spanFacts)), (text, fact) => {
      expect(attributesOf({ [fact]: `age > 62 and ${text}` })).toEqual({});
      expect(attributesOf({ [fact]: ["count", `age > 62 and ${text}`] })).toEqual({});
    }),
  );
});
