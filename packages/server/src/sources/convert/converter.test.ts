import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openEngines } from "@dosimeter/engines";
import type { PrincipalId } from "@dosimeter/ledger";
import {
  type Data,
  Field,
  Float64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableToIPC,
  vectorFromArray,
} from "apache-arrow";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import { type Converter, openConverter } from "./converter.ts";
import { zipped } from "./hostile.kit.ts";

const place = temporaryFolder();
const converter = openConverter();
const person = "usr_1" as PrincipalId;
afterAll(() => converter.close());

let made = 0;
interface Choice {
  readonly sheet?: string;
  readonly largest?: number;
  readonly by?: Converter;
}

async function convert(from: string, { sheet, largest = 1e6, by = converter }: Choice = {}) {
  made += 1;
  const to = join(place, `${made}.csv`);
  const format = (["xlsx", "ods", "zip"] as const).find((one) => from.endsWith(`.${one}`)) ?? "arrow";
  const { size: sent } = await stat(from);
  const found = await by.convert({ format, from, to, largest, sheet }, { person, sent });
  return { found, text: await readFile(to, "utf8") };
}
const golden = (name: string) => join(import.meta.dirname, "golden", name);

test.each([1900, 1904])("a workbook of openpyxl is written exactly, with days counted from %d", async (system) => {
  const { found, text } = await convert(golden(`visits-${system}.xlsx`));
  expect(found).toEqual({ format: "xlsx", sheet: "Visits", sheets: ["Hidden", "Visits", "Other"] });
  expect(text).toBe(`"person","cost in €","seen","arrived","clock","open","note","ratio"
a,12.5,2024-02-29,2024-03-15T10:30:15,09:05:00,true,"say ""x"", y
z",0.3
b,1000000000000000000000,1904-01-02,9999-12-31T23:59:59,23:59:59,false,,0.0000001
ü😀,-3,,,,,,9007199254740992
,2,2100-01-01,,,,,
`);
});

test("a sheet is chosen by its name; without it the names are listed", async () => {
  expect((await convert(golden("visits-1900.xlsx"), { sheet: "other" })).text).toBe('"n"\n1\n');
  await expect(convert(golden("visits-1900.xlsx"), { sheet: "May" })).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    details: { got: "May", want: expect.stringContaining("one of Hidden, Visits, Other") },
  });
});

test("an OpenDocument spreadsheet of pandas is written exactly, also where its name says only ZIP", async () => {
  const zip = join(place, "visits.zip");
  await writeFile(zip, await readFile(golden("visits.ods")));
  for (const path of [golden("visits.ods"), zip]) {
    const { found, text } = await convert(path);
    expect(found).toEqual({ format: "ods", sheet: "Visits", sheets: ["Visits", "Other"] });
    expect(text).toBe(`"person","cost in €","seen","arrived","open","note"
a,12.5,2024-02-29,2024-03-15T10:30:15,true,"say ""x"", y"
b,1000000000000000000000,1904-01-02,,,"two
lines"
ü😀,,,9999-12-31T23:59:59,false,
`);
  }
  expect((await convert(golden("visits.ods"), { sheet: "other" })).text).toBe('"n"\n1\n');
  await expect(convert(golden("visits.ods"), { sheet: "Visit" })).rejects.toThrow("(did you mean Visits?)");
});

/** A spreadsheet whose first sheet is hidden. */
async function odsOf(rows: string, manifest = ""): Promise<string> {
  const path = join(place, "own.ods");
  const cell = '<table:table-cell office:value-type="string"><text:p>n</text:p></table:table-cell>';
  const styles = '<style:style style:name="ta1"><style:table-properties table:display="false"/></style:style>';
  const sheet = (name: string, of: string) =>
    `<table:table table:name="${name}" table:style-name="${name}"><table:table-row>${cell}</table:table-row>${of}</table:table>`;
  const content = `<office:document-content>${styles}${sheet("ta1", rows)}${sheet("S", rows)}</office:document-content>`;
  const type = "application/vnd.oasis.opendocument.spreadsheet";
  await writeFile(
    path,
    zipped({ mimetype: type, "META-INF/manifest.xml": `<m:manifest>${manifest}</m:manifest>`, "content.xml": content }),
  );
  return path;
}
const odsRow = (attributes: string, inner = "", repeated = 1): string =>
  `<table:table-row table:number-rows-repeated="${repeated}"><table:table-cell ${attributes}>${inner}</table:table-cell></table:table-row>`;

test("cells of a spreadsheet: times, errors, spaces, notes, rows that stand there again", async () => {
  const value = (type: string, of: string) => `office:value-type="${type}" office:${of}`;
  const rows = [
    odsRow(value("time", 'time-value="PT9H05M00.250S"')),
    odsRow(value("percentage", 'value="1e-7"'), "", 2),
    odsRow('office:value-type="string" calcext:value-type="error"', "<text:p>#N/A</text:p>"),
    odsRow("", "", 1_048_576),
    odsRow(
      'office:value-type="string"',
      `<office:annotation><table:table>${odsRow("", "<text:p>secret</text:p>")}</table:table></office:annotation><text:p>a<text:s text:c="2"/>b</text:p><text:p>c</text:p>`,
    ),
  ];
  const { found, text } = await convert(await odsOf(rows.join("")));
  expect(found).toMatchObject({ sheet: "S", sheets: ["ta1", "S"] });
  expect(text).toBe('"n"\n09:05:00.25\n0.0000001\n0.0000001\n"a  b\nc"\n');
});

test.each([
  [odsRow('table:number-columns-spanned="2"', "<text:p>x</text:p>"), "DATA_UNREADABLE", "A2 is merged.*part them"],
  [
    odsRow('table:formula="of:=1+1"'),
    "DATA_UNREADABLE",
    "formulas are stored with their values, and that of A2 is not",
  ],
  [odsRow('office:value-type="float" office:value="three"'), "DATA_UNREADABLE", "and A2 does not: open it in"],
  [odsRow('office:value-type="date" office:date-value="now"'), "DATA_UNREADABLE", "and A2 does not: open it in"],
  [
    odsRow("", `<table:table>${odsRow("", "<text:p>x</text:p>")}</table:table>`),
    "DATA_UNREADABLE",
    "tables in its cells",
  ],
  [odsRow('table:number-columns-repeated="1000000000"', "<text:p>x</text:p>"), "DATA_UNREADABLE", "16384 columns"],
  [odsRow('office:value-type="float" office:value="1"', "", 1e12), "PAYLOAD_TOO_LARGE", "at most 1000000 bytes as CSV"],
  [odsRow("", "<text:p>x</text:p>".repeat(2)).repeat(3).slice(0, -9), "DATA_UNREADABLE", "OpenDocument .* well-formed"],
])("a spreadsheet that lies is refused: %#", async (rows, code, message) => {
  await expect(convert(await odsOf(rows))).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

test("a spreadsheet with a password, and another document of that family, are refused", async () => {
  await expect(convert(await odsOf("", "<m:encryption-data/>"))).rejects.toThrow("without a password");
  const path = join(place, "text.ods");
  await writeFile(path, zipped({ mimetype: "t", "META-INF/manifest.xml": "<m/>", "content.xml": "<office:text/>" }));
  await expect(convert(path)).rejects.toThrow("must be an OpenDocument spreadsheet");
});

const ARROW = `"person","id","u","small","x","price","wide","seen","day","arrived","instant","clock","open","none","long"
a,9223372036854775807,18446744073709551615,-128,0.1,12.50,1${"0".repeat(70)},2024-02-29,2024-02-29,2024-03-15T10:30:15.25,2024-03-15T10:30:15.123456789Z,09:05:00,true,,"x,y"
,-9223372036854775808,0,127,0.0000001,-0.05,,0001-01-01,1969-12-31,1969-12-31T23:59:59,1969-12-31T23:59:59.999999999Z,23:59:59,false,,"a""b"
,,,,,,-1,,,,,,,,
ü😀,0,1,0,0,99999999999999999999999999999999999.99,0,9999-12-31,1970-01-01,9999-12-31T23:59:59,1970-01-01T00:00:00Z,00:00:00,true,,"l1
l2"
`;

test.each(["lz4.feather", "zstd.feather", "plain.feather", "stream.arrows"])(
  "the Arrow table %s of pyarrow is written exactly",
  async (name) => {
    expect((await convert(golden(`visits-${name}`))).text).toBe(ARROW);
  },
);

test("a column of lists is refused by its name and type", async () => {
  await expect(convert(golden("nested.feather"))).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    details: { got: expect.stringMatching(/^many things: List/) },
  });
});

test("a table that gets larger than its limit is refused", async () => {
  for (const name of ["visits-1900.xlsx", "visits.ods", "visits-lz4.feather"])
    await expect(convert(golden(name), { largest: 100 })).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
});

test("files that are cut or changed anywhere are refused or converted, and the next one is converted", async () => {
  const brief = openConverter({ seconds: () => 2 }); // a length that was changed may keep the library busy
  for (const name of [
    "visits-1900.xlsx",
    "visits.ods",
    "visits-lz4.feather",
    "visits-zstd.feather",
    "visits-stream.arrows",
  ]) {
    const whole = await readFile(golden(name));
    const ending = /\.(?:xlsx|ods)$/.exec(name)?.[0] ?? ".arrow";
    for (let step = 1; step < 4; step += 1) {
      const at = Math.floor((whole.length * step) / 4);
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      for (const bytes of [whole.subarray(0, at), changed]) {
        const path = join(place, `broken${ending}`);
        await writeFile(path, bytes);
        const outcome = await convert(path, { by: brief }).catch((error: unknown) => error);
        if (outcome instanceof Error)
          expect(outcome).toMatchObject({ code: expect.stringMatching(/^(?:DATA_UNREADABLE|PAYLOAD_TOO_LARGE)$/) });
      }
    }
  }
  await brief.close();
  expect((await convert(golden("visits-lz4.feather"))).text).toBe(ARROW);
});

test("a file that unpacks to more than the limit is refused, however small it is", async () => {
  const small = openConverter({ unpacked: 60 });
  for (const name of [
    "visits-1900.xlsx",
    "visits.ods",
    "visits-lz4.feather",
    "visits-zstd.feather",
    "visits-plain.feather",
  ])
    await expect(convert(golden(name), { by: small })).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  await small.close();
});

test("a conversion that takes too long is given up, and leaves nothing", async () => {
  const hasty = openConverter({ seconds: () => 0.001 });
  const refused = convert(golden("visits-1900.xlsx"), { by: hasty });
  await expect(refused).rejects.toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  await hasty.close();
});

test.each([
  ["formula-without-value.xlsx", "B6", "a sheet whose formulas are stored with their values, and that of B6 is not"],
  [
    "formula-to-compute.xlsx",
    "B6",
    "a workbook whose formulas were computed when it was saved, and that of B6 was not",
  ],
  ["merged.xlsx", "A3:A5", "a sheet without merged cells, of which all but the first are empty, and A3:A5 are merged"],
  ["text-that-is-not-there.xlsx", "B3", "a sheet whose cells hold what their types say, and B3 does not"],
  ["number-that-is-none.xlsx", "B5", "a sheet whose cells hold what their types say, and B5 does not"],
])("%s is refused with the place %s and the way out", async (name, got, want) => {
  await expect(convert(golden(name))).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    message: expect.stringMatching(
      new RegExp(`^the file must be ${want}.*: open it in a spreadsheet program, .*save it and upload what was saved$`),
    ),
    details: { got },
  });
});

test("a formula that gives an empty text is an empty text, and its workbook has formulas on no other sheet", async () => {
  expect((await convert(golden("formula-of-no-text.xlsx"))).text).toContain("\n,,2100-01-01,,,,,\n");
  expect((await convert(golden("formula-without-value.xlsx"), { sheet: "Other" })).text).toBe('"n"\n1\n');
});

test("NaN of Arrow is missing, and two columns of one name are refused where the table is described", async () => {
  const column = (values: readonly number[]) => vectorFromArray([...values], new Float64()).data[0];
  const fields = ["a", "b", "a"].map((name) => new Field(name, new Float64(), true));
  const children = [
    [Number.NaN, 1],
    [Number.POSITIVE_INFINITY, -0],
    [2, Number.NaN],
  ].map(column);
  const type = new Struct(fields);
  const batch = new RecordBatch(
    new Schema(fields),
    makeData({ type, length: 2, nullCount: 0, children: children as Data[] }),
  );
  const path = join(place, "twice.arrows");
  await writeFile(path, tableToIPC(new Table([batch]), "stream"));
  expect((await convert(path)).text).toBe('"a","b","a"\n,Infinity,2\n1,0,\n');
  const engine = await openEngines({ files: { root: place } });
  await expect(engine.describe({ csv: `${made}.csv` })).rejects.toThrow('its header names "a" twice');
  await engine.close();
});

test.each(["entities.xlsx", "names-of-cells.xlsx", "no-workbook.xlsx", "wide-row.xlsx", "empty.xlsx"])(
  "%s is refused",
  async (name) => {
    await expect(convert(golden(name))).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
  },
);
