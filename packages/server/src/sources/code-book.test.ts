import { expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";

const fixture = fixtureOf();

const read = (content: string | Uint8Array<ArrayBuffer>) =>
  fixture.as.member.readCodeBook({
    content: typeof content === "string" ? new TextEncoder().encode(content) : content,
  });
const ddi = (categories: string, encoding = "UTF-8") =>
  `<?xml version="1.0" encoding="${encoding}"?><codeBook><dataDscr><var name="sex">${categories}</var></dataDscr></codeBook>`;
const category = (value: string, label: string) => `<catgry><catValu>${value}</catValu><labl>${label}</labl></catgry>`;

test("a code book becomes a declaration to go on with, in every format and in its encoding", async () => {
  const sex = { type: "category", categories: [1, 2], valueLabels: { 1: "Männlich", 2: "Weiblich" } };
  const book = ddi(category("1", "Männlich") + category("2", "Weiblich"), "ISO-8859-1");
  const latin = Uint8Array.from(book, (letter) => letter.charCodeAt(0));
  expect(await read(latin)).toMatchObject({ kind: "DDI", declaration: { columns: { sex } } });
  const csvw = { tableSchema: { columns: [{ name: "age", titles: ["Age", "Alter"], datatype: "integer" }] } };
  expect(await read(JSON.stringify(csvw))).toMatchObject({
    kind: "CSVW",
    declaration: { columns: { Age: { type: "integer" } } },
    columns: [{ names: ["Age", "Alter", "age"] }],
  });
  const fields = [{ name: "age", type: "integer", constraints: { minimum: 18 } }];
  expect(await read(JSON.stringify({ fields }))).toMatchObject({
    kind: "Table Schema",
    declaration: { columns: { age: { type: "integer", lower: 18 } } },
  });
  const redcap = 'Variable / Field Name,Field Type,Field Label,Choices\nsex,radio,Sex,"1, M | 2, F"\n';
  expect(await read(redcap)).toMatchObject({ kind: "data dictionary", columns: [{ names: ["sex"], label: "Sex" }] });
  const yaml = "privacyUnit: row\ncolumns:\n  age: {type: integer, lower: 0, upper: 99}\n";
  expect((await read(yaml)).declaration).toMatchObject({ privacyUnit: "row", columns: { age: { upper: 99 } } });
});

test.each([
  ["two labels for one code", ddi(category("1", "M") + category("1", "F")), /"1".*one label: keep the right one/],
  ["nothing of a column", "<html><p/></html>", /says nothing of a column/],
  ["an encoding that it does not name", Uint8Array.from([115, 101, 120, 32, 0xe4]), /UTF-8/],
  ["no book at all", "it was the best of times ".repeat(700_000), /^(?=.*lines of at most 2000000).{0,300}$/],
  ["a page without a name", "it was the best of times ".repeat(70_000), /^(?=.*of at most 1000 characters).{0,300}$/],
  ["a label as long as a book", `age\t${"years ".repeat(100_000)}`, /^(?=.*at most 100000 characters).{0,300}$/],
  ["a line for each person", "17 blue yes\n".repeat(1_600_000), /at most 65536/],
  ["a code for each person", `sex\n${"1=m\n".repeat(1_900_000)}`, /more than 65536 lines of codes/],
  ["no YAML", "columns:\n  - {a: 1\n", /./],
])("%s is refused with its reason", async (_, content, message) => {
  const refused = read(content);
  await expect(refused).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  await expect(refused).rejects.toThrow(message);
});

test("100,000 values of one column are refused in a moment, and the server answers others meanwhile", async () => {
  const many = Array.from({ length: 100_000 }, (_, at) => category(String(at), `value ${at}`)).join("");
  const refused = expect(read(ddi(many))).rejects.toThrow(/100000, must be at most 65536: leave them out/);
  await expect(read("sex  Sex  0=f; 1=m")).rejects.toMatchObject({ code: "RATE_LIMITED" });
  expect(await fixture.as.member.me()).toBeDefined();
  await refused;
  await expect(read(new Uint8Array(20_000_001))).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  // Two columns with 50,000 each.
  const half = (from: number) =>
    Array.from({ length: 50_000 }, (_, at) => category(String(from + at), `value ${at}`)).join("");
  const { declaration } = await read(ddi(`${half(0)}</var><var name="place">${half(50_000)}`));
  const columns = declaration.columns as Readonly<Record<string, { readonly categories: readonly number[] }>>;
  expect([columns.sex?.categories.length, columns.place?.categories.at(-1)]).toEqual([50_000, 99_999]);
});
