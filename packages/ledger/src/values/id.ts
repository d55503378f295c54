export type PrincipalId = string & { readonly __id: "principal" };
export type TeamId = string & { readonly __id: "team" };
export type PopulationId = string & { readonly __id: "population" };
export type DatasetId = string & { readonly __id: "dataset" };
export type LedgerId = string & { readonly __id: "ledger" };
export type AccountId = string & { readonly __id: "account" };
export type ChargeId = string & { readonly __id: "charge" };
export type ReleaseId = string & { readonly __id: "release" };
export type AmendmentId = string & { readonly __id: "amendment" };
export type DashboardId = string & { readonly __id: "dashboard" };
export type DraftId = string & { readonly __id: "draft" };
export type ScheduleId = string & { readonly __id: "schedule" };
export type RequestId = string & { readonly __id: "request" };

/** Who acts, in every call that changes something. The caller checks whether they may. */
export interface By {
  readonly by: PrincipalId;
}

const prefixes = {
  principal: "usr",
  team: "tem",
  membership: "mbr",
  binding: "rol",
  token: "tok",
  session: "ses",
  link: "lnk",
  population: "pop",
  dataset: "dat",
  ledger: "led",
  account: "acc",
  charge: "chg",
  release: "rel",
  request: "req",
  identity: "idn",
  invitation: "inv",
  notification: "ntf",
  outbox: "out",
  approval: "pol",
  amendment: "amd",
  draft: "drf",
  dashboard: "dsh",
  schedule: "sch",
  comment: "cmt",
  confirmation: "cnf",
  group: "grp",
} as const;

/** The kinds with a branded id; the others are used in one folder only. */
interface Branded {
  principal: PrincipalId;
  team: TeamId;
  population: PopulationId;
  dataset: DatasetId;
  ledger: LedgerId;
  account: AccountId;
  charge: ChargeId;
  release: ReleaseId;
  request: RequestId;
  amendment: AmendmentId;
  draft: DraftId;
  dashboard: DashboardId;
  schedule: ScheduleId;
}

type Kind = keyof typeof prefixes;
type IdOf<K extends Kind> = K extends keyof Branded ? Branded[K] : string;

/** Crockford's alphabet: no letter looks like a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** 2⁴⁵ ms reach the year 3084. */
const ORDER_LETTERS = 9;
/** 55 random bits, after the millisecond or the entry. */
const RANDOM_LETTERS = 11;

let latest = 0;

/**
 * A fresh id such as `acc_1knw8h2f0…`, in the order of time so that indexes grow at their end; in one process in the order in
 * which they were made. It is not a secret.
 */
export function newId<K extends Kind>(kind: K): IdOf<K> {
  latest = Math.max(latest + 1, Date.now());
  return named(kind, latest);
}

/** A fresh id for the charge of an entry. It contains the entry's number, so that no index is needed to find it. */
export function newChargeId(entry: bigint): ChargeId {
  return named("charge", Number(entry));
}

/** The entry in a charge's id; null when it is no such id. */
export function entryOf(charge: string): bigint | null {
  if (!/^chg_[0-9a-hjkmnp-tv-z]{20}$/.test(charge)) return null;
  let entry = 0n;
  for (const letter of charge.slice(4, 4 + ORDER_LETTERS)) entry = entry * 32n + BigInt(ALPHABET.indexOf(letter));
  return entry;
}

function named<K extends Kind>(kind: K, order: number): IdOf<K> {
  let text = "";
  for (let rest = order; text.length < ORDER_LETTERS; rest = Math.floor(rest / 32)) {
    text = (ALPHABET[rest % 32] ?? "") + text;
  }
  return `${prefixes[kind]}_${text}${letters(RANDOM_LETTERS)}` as IdOf<K>;
}

/** 160 random bits behind a readable prefix; shown once, stored only as its SHA-256. */
export function newSecret(prefix: string): string {
  return `${prefix}_${letters(32)}`;
}

function letters(count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += ALPHABET[randomByte() & 31];
  return text;
}

const randomByte = byteSource();

/** Random bytes, drawn in bulk, because a call for each id would cost as much as a row. Used bytes are erased. */
function byteSource(): () => number {
  const drawn = new Uint8Array(4096);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      crypto.getRandomValues(drawn);
      used = 0;
    }
    const byte = drawn[used] ?? 0;
    drawn[used++] = 0;
    return byte;
  };
}
