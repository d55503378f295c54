import { signerOf } from "./check.ts";
import type { Signature } from "./export.ts";
import { attempt, type Report, sorted } from "./report.ts";

/** What a server states of a charge that it took for a program outside. */
export interface Permit {
  readonly charge: string;
  /** Of the job that it is for. */
  readonly key: string;
  readonly ledger: string;
  readonly account: string;
  readonly person: string;
  readonly dataset: string;
  /** Of the dataset, when it was charged. */
  readonly version: number;
  readonly purpose: string;
  readonly at: string;
  readonly expiresAt: string;
  readonly events: readonly unknown[];
  readonly price: { readonly epsilon: string | null; readonly delta: string; readonly mu2: string | null };
  /** The ledger's newest line then: the charge itself. */
  readonly entry: { readonly number: number; readonly hash: string };
  readonly [fact: string]: unknown;
}

export const PERMIT = { format: "dosimeter-permit", version: 1 } as const;

/** The text that a permit's signature covers by its SHA-256: the same in whatever order a store keeps its fields. */
export const permitBody = (permit: Permit): string => JSON.stringify(sorted({ ...PERMIT, permit }));

export interface PermitCheck {
  /** It is authentic and has not expired. Whether it was used, only the server knows. */
  readonly ok: boolean;
  readonly problems: readonly string[];
  readonly permit: Permit;
  /** SHA-256 of the key that signed. */
  readonly signedBy: string;
}

/** Checks a permit by its text alone. SyntaxError for what is none. `signedBy`: whose it must be; `key`: of the job that shows it. */
export async function checkPermit(
  text: string,
  {
    signedBy: wanted,
    key,
    now = Date.now(),
  }: { readonly signedBy?: string; readonly key?: string; readonly now?: number } = {},
): Promise<PermitCheck> {
  const { signature, permit, ...head } = parse(text);
  if (head.format !== PERMIT.format || head.version !== PERMIT.version || !isSignature(signature) || !isPermit(permit))
    throw new SyntaxError(`it is not a permit of version ${PERMIT.version}`);
  const problems: string[] = [];
  const report: Report = (_, problem) => problems.push(problem);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(permitBody(permit))));
  const signedBy = (await attempt("signature", report, () => signerOf(signature, digest, report))) ?? "no one";
  if (wanted !== undefined && signedBy !== wanted) problems.push(`is another server's: it is signed by ${signedBy}`);
  if (key !== undefined && permit.key !== key) problems.push(`is for the job ${permit.key}, not for ${key}`);
  if (!(now <= Date.parse(permit.expiresAt))) problems.push(`expired at ${permit.expiresAt}`);
  if (!(now >= Date.parse(permit.at) - CLOCK_MS)) problems.push(`is from ${permit.at}, which is ahead of this clock`);
  return { ok: problems.length === 0, problems, permit, signedBy };
}

/** The most by which two honest clocks differ. */
const CLOCK_MS = 5 * 60_000;

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const line: unknown = JSON.parse(text);
    if (isRecord(line)) return line;
  } catch {} // said below
  throw new SyntaxError("it is not a line of JSON");
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isSignature = (value: unknown): value is Signature =>
  isRecord(value) && ["algorithm", "publicKey", "value"].every((name) => typeof value[name] === "string");

const TEXTS = ["charge", "key", "ledger", "account", "person", "dataset", "purpose", "at", "expiresAt"] as const;

/** As amounts are written; not so long that to show one takes minutes. */
const DECIMAL = /^\d{1,400}(\.\d{1,400})?(e-?\d{1,3})?$/i;

/** Every field is looked at: anyone can sign anything with a key of their own. */
function isPermit(value: unknown): value is Permit {
  if (!isRecord(value) || !TEXTS.every((name) => typeof value[name] === "string")) return false;
  const { version, events, price, entry } = value;
  const isDecimal = (amount: unknown): boolean => typeof amount === "string" && DECIMAL.test(amount);
  const isAmount = (amount: unknown): boolean => amount === null || isDecimal(amount);
  return (
    typeof version === "number" &&
    Array.isArray(events) &&
    isRecord(price) &&
    isAmount(price.epsilon) &&
    isDecimal(price.delta) &&
    isAmount(price.mu2) &&
    isRecord(entry) &&
    typeof entry.number === "number" &&
    typeof entry.hash === "string"
  );
}
