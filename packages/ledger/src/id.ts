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
/** 80 random bits: two equal ids among 10⁹ have a chance below 10⁻⁶. */
const LETTERS = 16;

/** A fresh random name such as `acc_3q7m…`. It is not a secret. */
export function newId(kind: keyof typeof prefixes): string {
  return `${prefixes[kind]}_${letters(LETTERS)}`;
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
