import { crc32, deflateRawSync } from "node:zlib";
import { Dictionary, Int8, makeData, Null, Table, tableToIPC, Utf8, Vector, vectorFromArray } from "apache-arrow";

/** A column of nothing but a number of rows: some four hundred bytes, whatever the number. */
export const arrowOfNulls = (rows: number): Uint8Array =>
  tableToIPC(new Table({ n: new Vector([makeData({ type: new Null(), length: rows })]) }), "file");

/** One long text, named once a row. */
export function arrowOfOneText(characters: number, rows: number): Uint8Array {
  const dictionary = vectorFromArray(["x".repeat(characters)], new Utf8());
  const type = new Dictionary(new Utf8(), new Int8());
  const text = new Vector([makeData({ type, length: rows, data: new Int8Array(rows), dictionary })]);
  return tableToIPC(new Table({ text }), "file");
}

const TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relations = (of: Readonly<Record<string, string>>): string =>
  `<Relationships>${Object.entries(of)
    .map(([type, target], index) => `<Relationship Id="r${index}" Type="${TYPES}/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;

/** A workbook whose only cell is a text of this size. */
export function workbookOfOneText(bytes: number): Uint8Array {
  return zipped({
    "_rels/.rels": relations({ officeDocument: "xl/workbook.xml" }),
    "xl/workbook.xml": `<workbook xmlns:r="${TYPES}"><sheets><sheet name="S" r:id="r0"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations({ worksheet: "sheet.xml", sharedStrings: "texts.xml" }),
    "xl/sheet.xml": `<worksheet><sheetData><row><c t="s"><v>0</v></c></row></sheetData></worksheet>`,
    "xl/texts.xml": `<sst><si><t>${"x".repeat(bytes)}</t></si></sst>`,
  });
}

export function zipped(files: Readonly<Record<string, string>>): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(8, 4);
    about.writeUInt32LE(crc32(text), 10);
    about.writeUInt32LE(packed.length, 14);
    about.writeUInt32LE(Buffer.byteLength(text), 18);
    about.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), about, Buffer.from(name), packed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), about, end, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const names = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(names.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, names, end]);
}
