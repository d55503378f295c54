import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";

/** OWASP's second choice for argon2id: 19 MiB, two passes, parallelism 1; a tenth of a second off the main thread. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const TAG_BYTES = 32;
const SALT_BYTES = 16;

/** A PHC string: algorithm, cost, salt and tag. The cost can be raised later while old hashes still work. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive(password, { salt, ...COST });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plain(salt)}$${plain(tag)}`;
}

/** Takes the same time whether there is such a person, such a password, or neither. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(stored ?? nobody) ?? [];
  if (salt === undefined || tag === undefined) return false;
  const expected = Buffer.from(tag, "base64");
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const given = await derive(password, { salt: Buffer.from(salt, "base64"), ...cost });
  return given.length === expected.length && timingSafeEqual(given, expected) && stored !== null;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;
const nobody = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${"A".repeat(22)}$${"A".repeat(43)}`;
const plain = (bytes: Buffer): string => bytes.toString("base64").replaceAll("=", "");

/** Of four threads that also read files: however many guess, two are theirs, and who comes then waits a few seconds at most. */
const AT_ONCE = 2;
const MAX_WAITING = 40;
let running = 0;
const waiting: (() => void)[] = [];

async function derive(
  password: string,
  { salt, memory, passes, parallelism }: { salt: Buffer; memory: number; passes: number; parallelism: number },
): Promise<Buffer> {
  const message = Buffer.from(password.normalize("NFKC"));
  if (running < AT_ONCE) running += 1;
  else if (waiting.length < MAX_WAITING) await new Promise<void>((turn) => waiting.push(turn));
  else throw new PrivacyError("RATE_LIMITED", { seconds: 5 }, "too many passwords are being tried; try again in 5 s");
  try {
    return await new Promise((resolve, reject) =>
      argon2("argon2id", { message, nonce: salt, memory, passes, parallelism, tagLength: TAG_BYTES }, (error, tag) =>
        error === null ? resolve(tag) : reject(error),
      ),
    );
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Refuses the passwords that are guessed first. The route's schema checks the length. */
export function checkPassword(password: string, { name, email }: { name: string; email: string | null }): void {
  const text = password.normalize("NFKC").toLowerCase();
  const known = [name, email, email?.split("@")[0]].flatMap((one) => (one ? [one.toLowerCase()] : []));
  const isKnown = known.some((one) => one.length >= 3 && text.replace(one, "").length < 6);
  if (isKnown || new Set(text).size < 5)
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "body.password", want: "more than your name, your address or a few letters again and again" },
      "this password is easily guessed: use more than your name, your address or a few letters again and again",
    );
}
