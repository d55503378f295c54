import { PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import { columnsJson } from "./columns-json.ts";
import { readSchemaFile, readSchemaText } from "./schema.ts";

const noYaml = (): never => {
  throw new Error("no YAML here");
};
const read = (text: string) => readSchemaText(text, noYaml);
const DDI = `<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5"><stdyDscr><citation/></stdyDscr><dataDscr>
  <var ID="V1" name="age" intrvl="contin" dcml="0" measUnit="years">
    <labl level="variable">Age  at last
      birthday</labl><labl xml:lang="fr">Âge</labl>
    <qstn><qstnLit>How old are you?</qstnLit></qstn>
    <valrng><range UNITS="INT" min="0" max="110"/></valrng>
    <invalrng><item VALUE="-9"/></invalrng>
    <varFormat type="numeric"/>
  </var>
  <var name="sex" intrvl="discrete"><labl>Sex</labl>
    <catgry><catValu>1</catValu><labl>Male</labl><catStat type="freq">60</catStat></catgry>
    <catgry><catValu>2</catValu><labl><![CDATA[Female & other]]></labl></catgry>
    <catgry missing="Y"><catValu>9</catValu><labl>No answer</labl></catgry>
    <varFormat type="numeric"/>
  </var>
  <var name="wage" intrvl="contin"><varFormat type="numeric"/></var>
  <var name="came"><varFormat type="character" category="date"/></var>
</dataDscr></codeBook>`;

test("a DDI code book: labels, codes, units, ranges and what stands for missing", () => {
  expect(read(DDI)).toEqual({
    kind: "DDI",
    about: {},
    columns: [
      {
        ...{ names: ["age"], type: "integer", lower: "0", upper: "110", missing: "-9", unit: "years" },
        ...{ label: "Age at last birthday", description: "How old are you?" },
      },
      {
        ...{ names: ["sex"], type: "category", values: ["1", "2"], missing: "9", label: "Sex" },
        labels: { 1: "Male", 2: "Female & other" },
      },
      { names: ["wage"], type: "number" },
      { names: ["came"], type: "date" },
    ],
  });
  expect(read(DDI.replaceAll(/<(\/?)(?=\w)/g, "<$1ddi:")).columns).toEqual(read(DDI).columns);
});

const REDCAP = `"Variable / Field Name","Form Name","Section Header","Field Type","Field Label","Choices, Calculations, OR Slider Labels","Field Note","Text Validation Type OR Show Slider Number","Text Validation Min","Text Validation Max",Identifier?,"Required Field?"
record_id,base,,text,Record,,,,,,y,
age,base,,text,"Age<br>in years",,"Whole years",integer,18,110,,y
born,base,,text,Born,,,date_ymd,1900-01-01,today,,
sex,base,,radio,Sex,"1, Male | 2, Female, or other",,,,,,y
ill,base,,checkbox,Illnesses,"1, Asthma | -9, None",,,,,,
smokes,base,,yesno,Smokes?,,,,,,,
intro,base,,descriptive,Hello,,,,,,,
`;

test("a data dictionary of REDCap, as it is exported; what a form requires is not taken for never missing", () => {
  const { kind, columns } = read(REDCAP);
  expect(kind).toBe("data dictionary");
  expect(columns).toEqual([
    { names: ["record_id"], type: "text", label: "Record" },
    { names: ["age"], type: "integer", lower: "18", upper: "110", label: "Age in years", description: "Whole years" },
    { names: ["born"], type: "date", lower: "1900-01-01", label: "Born" },
    {
      names: ["sex"],
      type: "category",
      values: ["1", "2"],
      labels: { 1: "Male", 2: "Female, or other" },
      label: "Sex",
    },
    { names: ["ill___1"], type: "boolean", label: "Illnesses: Asthma" },
    { names: ["ill____9"], type: "boolean", label: "Illnesses: None" },
    { names: ["smokes"], type: "boolean", label: "Smokes?" },
  ]);
});

test("what a code book says is the columns of a declaration", () => {
  const columns = columnsJson(read(DDI).columns);
  const { wage, came, ...whole } = columns;
  expect([wage, came]).toEqual([{ type: "number" }, { type: "date" }]);
  const declared = { name: "t", source: { csv: "t.csv" }, privacyUnit: "row" };
  expect(checkDeclaration({ ...declared, columns: whole }).columns).toMatchObject({
    age: { type: "integer", lower: 0, upper: 110, missing: ["-9"], unit: "years", label: "Age at last birthday" },
    sex: { type: "category", categories: [1, 2], missing: ["9"], valueLabels: { 1: "Male", 2: "Female & other" } },
  });
  const described = columnsJson(read(REDCAP).columns.filter(({ names: [name] }) => name !== "born")).sex;
  expect(described).toMatchObject({ categories: [1, 2], valueLabels: { 2: "Female, or other" } });
});

test.each([
  ["not closed", "<codeBook><var name='a'>", 'schema is "a document that is not well-formed", must be well-formed XML'],
  ["a document type", "<!DOCTYPE x [<!ENTITY a 'aaaa'>]><codeBook/>", 'schema is "a document with a document type"'],
  ["another document", "<html><p/></html>", "this says nothing of a column"],
  [
    "two labels for one code in DDI",
    DDI.replace("<catValu>2", "<catValu>1"),
    'values of sex is "1", must be listed once, with one label',
  ],
  ["two labels for one code in a line", "sex  Sex  0=female; 0=male", 'values of sex is "0", must be listed once'],
  [
    "two labels for one code in a Table Schema",
    JSON.stringify({
      fields: [
        {
          name: "a",
          categories: [
            { value: 1, label: "x" },
            { value: 1, label: "y" },
          ],
        },
      ],
    }),
    'values of a is "1", must be listed once',
  ],
  [
    "more cells than headings",
    `${REDCAP}a,b,c,d,e,f,g,h,i,j,k,l,m\n`,
    "the number of cells in the data dictionary, line 9 is 13",
  ],
])("%s is refused with its reason", (_, text, message) => {
  expect(() => read(text)).toThrow(message);
  expect(() => read(text)).toThrow(PrivacyError);
});

test("100,000 values of one column are read in a moment and are no category", () => {
  const values = Array.from(
    { length: 100_000 },
    (_, at) => `<catgry><catValu>${at}</catValu><labl>v${at}</labl></catgry>`,
  );
  const text = `<codeBook><dataDscr><var name="x">${values.join("")}</var></dataDscr></codeBook>`;
  expect(() => read(text)).toThrow("values of x is 100000, must be at most 65536");
  expect(() => read(" ".repeat(20_000_001))).toThrow("at most 20 MB");
});

test("a file in another encoding is read where it says which, and refused where it does not", () => {
  const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const latin = DDI.replace("UTF-8", "ISO-8859-1").replace("Âge", "x").replace("Male", "M\u00e4nnlich");
  expect(readSchemaFile(bytes(latin), noYaml).columns[1]?.labels).toMatchObject({ 1: "Männlich" });
  expect(() => readSchemaFile(bytes("sex  Sex  0=m\u00e4nnlich"), noYaml)).toThrow(
    'schema is "a file that is not UTF-8", must be saved as UTF-8',
  );
  expect(() => readSchemaFile(bytes(DDI.replace("UTF-8", "no-such")), noYaml)).toThrow("not no-such");
  const utf16 = new Uint8Array([0xff, 0xfe, ...[..."sex  Ä  0=f; 1=m"].flatMap((c) => [c.charCodeAt(0), 0])]);
  expect(readSchemaFile(utf16, noYaml).columns).toMatchObject([{ names: ["sex"], label: "Ä", values: ["0", "1"] }]);
  expect(readSchemaFile(new TextEncoder().encode("\uFEFFsex  Sex  0=f; 1=m"), noYaml).columns[0]?.names).toEqual([
    "sex",
  ]);
});

test("a long codebook is read in time that grows with its length", () => {
  const before = process.cpuUsage();
  const label = "<".repeat(80_000);
  const dictionary = `Variable / Field Name,Field Type,Field Label\nage,text,${label}`;
  expect(read(dictionary).columns).toMatchObject([{ names: ["age"], label }]);
  const codes = Array.from({ length: 20_000 }, (_, at) => `i${at}`);
  const [site, ...others] = read(`site  Site\n${codes.map((code) => ` ${code}=a`).join("\n")}`).columns;
  expect([site?.type, site?.values, others]).toEqual(["category", codes, []]);
  expect(Object.keys(site?.labels ?? {})).toEqual(codes);
  // Each took 2 s.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
});
