import { expect, test } from "vitest";
import { termsOf, units } from "./terms.ts";

test.each(["", "-1", "+1", "1.5", "0x10", " 1", "x"])(
  "an amount is a whole number that is not below 0: %o is none",
  (text) => {
    expect(() => units(text)).toThrow(SyntaxError);
  },
);

test("a part of δ below 0 leaves no more of it to the other part", () => {
  const terms = { rule: "addition", epsilon: "1", delta: "5", deltaFilter: "-5", deltaSelection: "10" };
  expect(() => termsOf(JSON.stringify(terms))).toThrow('"-5" is no amount');
});
