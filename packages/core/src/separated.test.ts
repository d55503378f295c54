import fc from "fast-check";
import { expect, test } from "vitest";
import { numbersIn, readTable, recordsOf, SeparatedMachine, Step, separatorOf } from "./separated.ts";

const refuse = (got: string, want: string, line?: number): never => {
  throw new Error(`${line}: ${got}, ${want}`);
};
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const letter = fc.constantFrom("a", "é", "😀", " ", "0", ",", ";", "\t", "|", '"', "\n", "\r", "\r\n", "#");
const word = fc.string({ unit: letter, maxLength: 6 });

test("what is written is read: any cell in quotes, under each separator and line end", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(word, { minLength: 2, maxLength: 2 }), { minLength: 1 }),
      fc.constantFrom(",", ";", "\t", "|"),
      fc.constantFrom("\n", "\r\n", "\r"),
      (rows, separator, end) => {
        const text = rows.map((row) => row.map(quoted).join(separator) + end).join("");
        expect([...recordsOf(text, { separator, refuse })].map(({ cells }) => cells)).toEqual(rows);
      },
    ),
  );
});

test("bytes of UTF-8 are taken as the text is, with letters left out and without", () => {
  const scan = (units: Uint8Array | readonly number[], mayLeaveOut: boolean): unknown => {
    const steps: Step[] = [];
    const machine = new SeparatedMachine({ separator: ",", comment: "#", refuse });
    try {
      for (let at = 0; at < units.length; at += 1) {
        if (mayLeaveOut && units instanceof Uint8Array) at = machine.skip(units, at);
        const step = at < units.length ? machine.take(units[at] ?? 0) : Step.content;
        if (step !== Step.content && step !== Step.sign) steps.push(step);
      }
      return { steps, ...machine.finish() };
    } catch (error) {
      return String(error);
    }
  };
  fc.assert(
    fc.property(fc.string({ unit: letter }), (text) => {
      const asText = scan(
        Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)),
        false,
      );
      const bytes = new TextEncoder().encode(text);
      expect(scan(bytes, false)).toEqual(asText);
      expect(scan(bytes, true)).toEqual(asText);
    }),
  );
});

test.each([
  ["a,b;c", ","],
  ["0,1;0,8", ";"],
  ["0,1", ","],
  ['"a;b;c",d', ","],
  ["a\tb,c\td\n;;;;", "\t"],
  ["a", ","],
])("the separator of %j is %j", (text, separator) => {
  expect(separatorOf(text)).toBe(separator);
});

test("lines are those of the text, blank lines and comments among them", () => {
  const text = '# kept by hand\n\na;b\n"x\ny";1\n\n2;3\n';
  expect(readTable(text, "t", { comment: "#" })).toEqual({
    name: "t",
    separator: ";",
    heading: ["a", "b"],
    rows: [
      { line: 4, cells: ["x\ny", "1"] },
      { line: 7, cells: ["2", "3"] },
    ],
  });
});

test.each([
  ["a,b\n1,2,3\n", "the number of cells in t, line 2 is 3, must be 2, as in line 1"],
  ["a;b\n1\n", "the number of cells in t, line 2 is 1, must be 2, as in line 1"],
  ["a,b\n1,2,\n", "the number of cells in t, line 2 is 3"],
  ['a,b\n1,"2" 3\n', 't, line 2 is "a letter after a closing quote"'],
  ['a,b\n1,2\n3,"4\n5,6\n', 't, line 3 is "an open quote", must be a closing quote for every opening one'],
  ["a,b,A \n1,2,3\n", 'the heading of t is "a", must be names of which none comes twice'],
])("the table %j is refused with its line", (text, message) => {
  expect(() => readTable(text, "t")).toThrow(message);
});

test("shorter rows are read where they may end early, longer ones never", () => {
  expect(readTable("a;b\n1\n", "t", { mayEndEarly: true }).rows).toEqual([{ line: 2, cells: ["1"] }]);
  expect(() => readTable("a;b\n1;2;3\n", "t", { mayEndEarly: true })).toThrow("is 3, must be 2");
});

test("a comma is a decimal sign where it can be nothing else", () => {
  const numbers = (text: string) => {
    const table = readTable(text, "t", { heading: "always" });
    return table.rows.map((row) => numbersIn(table, [0])(row, 0));
  };
  expect(numbers("a;b\n1,5;\n1,234;\n-,5;\n3;\nx;\n1,2,3;\n0x1;\n")).toEqual([1.5, 1.234, -0.5, 3, null, null, null]);
  expect(numbers('a,b\n"1,5",\n2.5,\n')).toEqual([null, 2.5]);
  expect(() => numbers("a;b\n1,234;\n5;\n")).toThrow('t, line 2 is "1,234", must be a number that can be read in one');
  expect(() => numbers("a;b\n1.5;\n1,5;\n")).toThrow("with a decimal point, as in line 2");
});
