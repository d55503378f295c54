import fc from "fast-check";
import { expect, test } from "vitest";
import { PrivacyError } from "../error.ts";
import { formatRational, parseRational, rational } from "./rational.ts";
import { plainNumber, typedNumber, wishText } from "./typed-number.ts";

const read = (text: string): string | null => {
  const plain = plainNumber(text);
  return plain === null ? null : formatRational(parseRational(plain));
};

test("every way to write a number is read as what it says", () => {
  const texts: Readonly<Record<string, string>> = {
    "20,000": "20000",
    "20 000": "20000",
    "20\u00a0000": "20000",
    "20\u202f000": "20000",
    "1,234,567.5": "2469135/2",
    "1e-5": "1/100000",
    "1E+3": "1000",
    "1e9": "1000000000",
    "10^-5": "1/100000",
    "10⁻⁶": "1/1000000",
    "2×10⁻⁷": "1/5000000",
    "2 * 10^3": "2000",
    "1/3": "1/3",
    "10 / 4": "5/2",
    ".5": "1/2",
    "5.": "5",
    "-1": "-1",
    "−1": "-1",
    " 0.1 ": "1/10",
    "+2": "2",
  };
  for (const [text, value] of Object.entries(texts)) expect([text, read(text)]).toEqual([text, value]);
});

test("what could mean two numbers, or none, is refused", () => {
  for (const text of [
    ..."0,5|0,500|00,500|1,5|20,00|20,0000|2,0000|1,000 000|1 000,000|20  000|1 1/2|1 100/3|1/0|1/3/4|1.000.000|1,000/3".split(
      "|",
    ),
    ..."|.|-|e5|1e|1e5.5|--1|1-2|0x10|Infinity|NaN|1_000|12abc|ε 1|5 %|1 2|10^|^5|10^1.5|1e99999|1\n2|1\t000".split(
      "|",
    ),
    "9".repeat(200),
  ])
    expect([text, plainNumber(text)]).toEqual([text, null]);
});

const digits = fc.bigInt({ min: 0n, max: 10n ** 30n });

test("grouped by commas or by any space, with decimals, a number is the one that was grouped", () => {
  fc.assert(
    fc.property(
      digits,
      fc.stringMatching(/^\d{0,8}$/),
      fc.constantFrom(",", " ", "\u00a0", "\u202f"),
      (whole, part, mark) => {
        const grouped = String(whole).replaceAll(/\B(?=(\d{3})+$)/g, mark);
        const text = part === "" ? grouped : `${grouped}.${part}`;
        expect(read(text)).toBe(formatRational(parseRational(part === "" ? String(whole) : `${whole}.${part}`)));
      },
    ),
  );
});

test("decimals with a power and fractions are exact, and every double comes back from its text", () => {
  fc.assert(
    fc.property(digits, fc.integer({ min: -300, max: 300 }), (mantissa, exponent) => {
      const scale = rational(10n ** BigInt(Math.abs(exponent)));
      const value = exponent < 0 ? rational(mantissa, scale.numerator) : rational(mantissa * scale.numerator);
      expect(read(`${mantissa}e${exponent}`)).toBe(formatRational(value));
      expect(read(`${mantissa} × 10^${exponent}`)).toBe(formatRational(value));
    }),
  );
  fc.assert(
    fc.property(digits, fc.bigInt({ min: 1n, max: 10n ** 20n }), (top, bottom) => {
      expect(read(`${top}/${bottom}`)).toBe(formatRational(rational(top, bottom)));
    }),
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(typedNumber(String(value)).value).toBe(value === 0 ? Number(String(value)) : value);
    }),
  );
});

test("no text is read as another number: where JavaScript reads one too, it is the same", () => {
  const text = fc.string({ unit: fc.constantFrom(..."0123456789,. eE+-^/%×"), maxLength: 12 });
  fc.assert(
    fc.property(text, (typed) => {
      const plain = plainNumber(typed);
      if (plain === null) return;
      const other = typed.trim() === "" ? Number.NaN : Number(typed);
      if (!Number.isNaN(other)) expect(Number(plain)).toBe(other);
      // Its digits are those that were typed, in their order.
      if (!/[\^]/.test(typed))
        expect(plain.replaceAll(/\D/g, "").replace(/^0+/, "")).toBe(
          typed
            .replace(/e\+?(?=\d)0*$/i, "")
            .replace(/([eE][+-]?)0+/, "$1")
            .replaceAll(/\D/g, "")
            .replace(/^0+/, ""),
        );
    }),
    { numRuns: 5000 },
  );
});

test("a range, whole numbers and percentages: inside, and a refusal that says what it must be", () => {
  expect(typedNumber("1e9", { min: 1, isWhole: true }).value).toBe(1e9);
  expect(typedNumber("5 %", { min: 0, max: 1, isShare: true }).plain).toBe("5e-2");
  expect(formatRational(typedNumber("1/3%", { isShare: true }).exact)).toBe("1/300");
  expect(typedNumber("1/3", { below: 1 }).value).toBe(1 / 3);
  const refusal = (text: string, wish: Parameters<typeof typedNumber>[1]): string => {
    try {
      return String(typedNumber(text, wish, "ε").value);
    } catch (error) {
      return error instanceof PrivacyError ? error.message : "another error";
    }
  };
  expect(refusal("-1", { above: 0 })).toBe('ε is "-1", must be a number above 0');
  expect(refusal("0,5", { above: 0 })).toBe('ε is "0,5", must be a number above 0: use a point, 0.5');
  expect(refusal("1.5", { min: 1, max: 1000, isWhole: true })).toBe(
    'ε is "1.5", must be a whole number from 1 to 1,000',
  );
  // What was read needs no lesson in writing numbers.
  expect(refusal("20,000", { min: 0, below: 1 })).toBe('ε is "20,000", must be a number of at least 0 and below 1');
  expect(refusal("", { above: 0, below: 1 })).toBe("ε is missing, must be a number above 0 and below 1");
  for (const text of ["1e400", "1e-400", "5 %"]) expect(refusal(text, {})).toMatch(/must be a number$/);
  // Just inside and just outside, where doubles see no difference.
  expect(typedNumber("0.99999999999999999999", { below: 1 }).value).toBe(1);
  expect(refusal("1.00000000000000000001", { max: 1 })).toMatch("of at most 1");
  expect(wishText({ above: 0, max: 600 })).toBe("a number above 0 and at most 600");
});
