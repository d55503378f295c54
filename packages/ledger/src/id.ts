export type PrincipalId = string & { readonly __id: "principal" };
export type TeamId = string & { readonly __id: "team" };
export type PopulationId = string & { readonly __id: "population" };
export type DatasetId = string & { readonly __id: "dataset" };
export type LedgerId = string & { readonly __id: "ledger" };
export type AccountId = string & { readonly __id: "account" };
export type ChargeId = string & { readonly __id: "charge" };
export type ReleaseId = string & { readonly __id: "release" };

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
} as const;

/** Crockford's alphabet: no letter looks like a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** 2⁴⁵ ms reach the year 3084. */
const TIME_LETTERS = 9;
/** 55 random bits beside the millisecond. */
const RANDOM_LETTERS = 11;

/** A fresh name such as `acc_1knw8h2f0…`, in the order of time so that indexes grow at their end. It is not a secret. */
export function newId(kind: keyof typeof prefixes): string {
  let time = "";
  for (let rest = Date.now(); time.length < TIME_LETTERS; rest = Math.floor(rest / 32)) {
    time = (ALPHABET[rest % 32] ?? "") + time;
  }
  return `${prefixes[kind]}_${time}${letters(RANDOM_LETTERS)}`;
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

/** Random bytes, drawn many at once: a call for each id would cost as much as a row. Bytes given out are erased. */
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
