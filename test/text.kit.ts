import fc from "fast-check";

/** Texts of any code points but halves of surrogate pairs: `unit: "binary"`, which first makes a table of all of them in a second. */
export const anyText = (): fc.Arbitrary<string> => fc.string({ unit: codePoint });

const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
