import { invalid } from "@dosimeter/core";
import { isRecord, leastWhole } from "@dosimeter/core/internal";
import { entries, type Fields, own, record } from "../input/check.ts";

/** SHA-256 (FIPS 180-4) of a text in UTF-8, as hexadecimal: the same in a browser without TLS as on a server. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = (bytes.length + 8 + 64) >> 6;
  const padded = new DataView(new ArrayBuffer(blocks * 64));
  bytes.forEach((byte, index) => {
    padded.setUint8(index, byte);
  });
  padded.setUint8(bytes.length, 0x80);
  padded.setBigUint64(blocks * 64 - 8, 8n * BigInt(bytes.length));
  const state = squareRoots.slice();
  for (let block = 0; block < blocks; block++) compress(state, padded, block * 64);
  return [...state].map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** The first 32 bits of the fractional part of the `degree`th root of each of the first primes. */
function fractions(count: number, degree: 2n | 3n): Uint32Array {
  const primes: bigint[] = [];
  for (let n = 2n; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0n)) primes.push(n);
  return Uint32Array.from(primes, (prime) => {
    const scaled = prime << (32n * degree);
    const root = leastWhole((value) => value ** degree > scaled, 0n, 1n << 40n) - 1n;
    return Number(root & 0xffffffffn);
  });
}

const squareRoots = fractions(8, 2n);
const cubeRoots = fractions(64, 3n);
const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function compress(state: Uint32Array, data: DataView, at: number): void {
  const words = new Uint32Array(64);
  const word = (index: number): number => words[index] ?? 0;
  for (let i = 0; i < 16; i++) words[i] = data.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const [a, b] = [word(i - 15), word(i - 2)];
    const near = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
    const far = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
    words[i] = word(i - 16) + near + word(i - 7) + far;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const sum = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + sum + ((e & f) ^ (~e & g)) + (cubeRoots[i] ?? 0) + word(i)) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = (state[index] ?? 0) + value;
  });
}

/** What a saved plan says it is; another version is refused, never guessed at. */
export const PLAN_FORMAT = "dosimeter-plan/1";
/** Fields of a plan. */
export const PLAN_KEYS = [
  "join",
  "let",
  "window",
  "horizon",
  "statistics",
  "sample",
  "confidence",
  "adjacency",
] as const;
/** Fields that a saved plan has next to those of a plan. */
const FILE_KEYS = ["format", "madeBy", "table", "budget", "rows", "hash"] as const;

/** Fields in order, but those that are whole numbers first, by size, as JavaScript keeps them. Bigints as text. */
export const planText = (of: unknown): string =>
  JSON.stringify(of, (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    return isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  });

/** The hash of everything in a saved plan but the hash itself. */
export function planHash({ hash: _, ...content }: Fields): string {
  return sha256(planText(content));
}

/**
 * A saved plan says what its ε is for: above 1 it must say why, or it is not released. A plan written by hand makes no such
 * claim; its account's quota and the ledger's cap, with the owner's reasons, are what limits it.
 */
export function checkReason(json: unknown): void {
  const given = record(json, "plan");
  if (own(given, "format") === undefined) return;
  const { epsilon, reason } = record(own(given, "budget"), "budget");
  if (Number(epsilon) > 1 && (typeof reason !== "string" || reason.trim() === ""))
    invalid("budget.reason", reason ?? "", "written: why more than epsilon 1 is worth it");
}

/** A plan as it is charged, from a plan or a saved plan. INVALID_PARAMETER for another version or an edited file. */
export function plainPlan(json: unknown): unknown {
  const given = record(json, "plan");
  const format = own(given, "format");
  if (format === undefined) return json;
  if (format !== PLAN_FORMAT)
    return invalid("format", format, `${PLAN_FORMAT}: this plan was saved by another version`);
  entries(given, "", [...FILE_KEYS, ...PLAN_KEYS]);
  const hash = own(given, "hash");
  const right = planHash(given);
  if (hash !== right)
    return invalid(
      "hash",
      hash,
      `${right}: the file was changed after it was saved; open it on a page and save it again`,
    );
  return Object.fromEntries(Object.entries(given).filter(([key]) => !(FILE_KEYS as readonly string[]).includes(key)));
}
