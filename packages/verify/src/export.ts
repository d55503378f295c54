/** A row of an exported table: text and null as they are, whole numbers as decimal strings. */
export type Row = Readonly<Record<string, string | null>>;

/** One line of the export, parsed. Lines of the audit chain that are about other ledgers keep only their links. */
type Line =
  | {
      readonly format: string;
      readonly version: number;
      readonly ledger: string;
      readonly at: string;
      readonly head: string;
    }
  | { readonly table: string; readonly row: Row }
  | { readonly audit: AuditLine }
  | { readonly signature: Signature };

export interface AuditLine {
  readonly seq: string;
  readonly prev_hash: string;
  readonly hash: string;
  readonly ledger_id: string | null;
  /** Hash of what the line says, where the export leaves that out. */
  readonly body?: string;
  readonly at?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly subject?: string;
  readonly detail?: string;
  readonly image?: string | null;
}

export interface Signature {
  readonly algorithm: string;
  /** SPKI, base64. */
  readonly publicKey: string;
  /** Over the SHA-256 of every byte before this line, base64. */
  readonly value: string;
}

/** An export in memory, by table. */
export interface Exported {
  readonly ledger: string;
  readonly at: string;
  readonly head: string;
  readonly tables: ReadonlyMap<string, readonly Row[]>;
  readonly audit: readonly AuditLine[];
  readonly signature: Signature | null;
  /** Lower-case hexadecimal SHA-256 of what the signature covers. */
  readonly signed: Uint8Array<ArrayBuffer>;
}

const FORMAT = "dosimeter-ledger";
const VERSION = 1;

const encoder = new TextEncoder();

/** Throws a SyntaxError with the number of the line that is not what the format says. */
export async function readExport(text: string): Promise<Exported> {
  const lines = text.split("\n").filter((line) => line !== "");
  const tables = new Map<string, Row[]>();
  const audit: AuditLine[] = [];
  let header: Extract<Line, { format: string }> | null = null;
  let signature: Signature | null = null;
  let signedLength = text.length;
  let offset = 0;
  for (const [index, source] of lines.entries()) {
    const line = parse(source, index + 1);
    if (signature !== null) throw new SyntaxError(`line ${index + 1} stands behind the signature`);
    if ("format" in line) {
      if (index > 0 || !isHead(line))
        throw new SyntaxError(`line ${index + 1} is not the head of a ${FORMAT} export of version ${VERSION}`);
      header = line;
    } else if ("table" in line) {
      const rows = tables.get(line.table) ?? [];
      tables.set(line.table, rows);
      rows.push(line.row);
    } else if ("audit" in line) audit.push(line.audit);
    else {
      signature = line.signature;
      signedLength = offset;
    }
    offset += source.length + 1;
  }
  if (header === null) throw new SyntaxError("line 1 is missing");
  const signed = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text.slice(0, signedLength))));
  return { ledger: header.ledger, at: header.at, head: header.head, tables, audit, signature, signed };
}

function parse(source: string, number: number): Line {
  let line: unknown;
  try {
    line = JSON.parse(source);
  } catch {
    throw new SyntaxError(`line ${number} is not JSON`);
  }
  const known = ["format", "table", "audit", "signature"];
  if (!isRecord(line) || !known.some((key) => key in line)) throw new SyntaxError(`line ${number} is of no known kind`);
  const { table = "", row = line.audit ?? line.signature } = line;
  const isWhole = "format" in line || (isRecord(row) && [table, ...Object.values(row)].every(isText));
  if (!isWhole) throw new SyntaxError(`line ${number} holds no row of texts`);
  return line as Line;
}

const isHead = ({ format, version, ledger, at, head }: Extract<Line, { format: string }>): boolean =>
  format === FORMAT &&
  version === VERSION &&
  [ledger, at, head].every((text) => typeof text === "string") &&
  !Number.isNaN(Date.parse(at));

const isText = (value: unknown): boolean => value === null || typeof value === "string";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
