import fc from "fast-check";
import { expect, test } from "vitest";
import { cutLines } from "./cut-lines.ts";

function cut(parts: readonly string[], how: Parameters<typeof cutLines>[0]): string {
  const { take, end } = cutLines(how);
  return Buffer.concat([...parts.map((part) => Buffer.from(take(Buffer.from(part)))), Buffer.from(end())]).toString();
}

test("the same lines are cut, wherever the text comes apart", () => {
  const line = fc.constantFrom("a", "bb", "", "c".repeat(40_000));
  fc.assert(
    fc.property(
      ...[fc.array(line, { minLength: 1, maxLength: 9 }), fc.constantFrom("\n", "\r\n", "\r"), fc.nat(3), fc.nat(3)],
      ...[fc.integer({ min: 1, max: 30_000 }), fc.boolean()],
      (lines, ending, skip, footer, size, isEnded) => {
        const text = lines.join(ending) + (isEnded ? ending : "");
        const all = text.split(ending).map((each, at, { length }) => (at < length - 1 ? each + ending : each));
        if (all.at(-1) === "") all.pop();
        const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        expect(cut(parts, { skip, footer })).toBe(all.slice(skip, Math.max(skip, all.length - footer)).join(""));
      },
    ),
    { numRuns: 100 },
  );
});

test("a file in parts of one byte below a long line takes no longer", () => {
  const parts = [`${"x".repeat(3_900_000)}\n`, ..."ab\n".repeat(20_000)];
  expect(cut(parts, { footer: 1 })).toBe(parts.slice(0, -3).join(""));
});
