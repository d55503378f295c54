import { createHash, randomInt, timingSafeEqual } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase, Principal } from "@dosimeter/ledger";
import { checkPassword, hashPassword } from "./password.ts";

/**
 * The code that a server prints for the first admin. It is kept in memory only, so it ends with the process, and after a day; servers of one
 * database each keep its hash there, so that any of them takes it.
 */
export interface FirstAdmin {
  /** A new code, shown this once; null where there was an admin already, or a demo is on. */
  readonly issue: () => Promise<string | null>;
  /** Whether a code was issued and still works. */
  readonly isOpen: () => Promise<boolean>;
  /** Makes the first admin. UNAUTHENTICATED for another code; CONFLICT where there is an admin, or no code. */
  readonly create: (given: Given) => Promise<Principal>;
}

interface Given {
  readonly code: string;
  readonly name: string;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
}

/** Crockford's: without I, L, O and U, so that nothing is misread. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 80 bits: at 30 guesses a minute from each of a million addresses, a hit takes 10⁹ years. */
const LENGTH = 16;

type Shared = Pick<LedgerDatabase["shared"], "known" | "secret">;

const nameOf = (digest: Buffer): string => `firstAdmin ${digest.toString("hex")}`;

/** How long a code works. */
const CODE_HOURS = 24;

const CODE_MS = CODE_HOURS * 3_600_000;

/** `shared`: among servers, where there may be several. `now`: milliseconds. */
export function openFirstAdmin(
  { people }: Pick<LedgerDatabase, "people">,
  {
    shared = null,
    now = () => performance.now(),
  }: { readonly shared?: Shared | null; readonly now?: () => number } = {},
): FirstAdmin {
  let issued: { readonly digest: Buffer; readonly at: number } | null = null;
  const digestNow = (): Buffer | null => (issued === null || now() - issued.at >= CODE_MS ? null : issued.digest);
  const isOfAnother = async (digest: Buffer): Promise<boolean> => {
    const known = await shared?.known(nameOf(digest));
    return known != null && Date.now() - Date.parse(known.madeAt) < CODE_MS;
  };

  return {
    async issue() {
      if (!(await people.isFirstAdminOpen())) return null;
      const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
      issued = { digest: digestOf(code), at: now() };
      await shared?.secret({ name: nameOf(issued.digest), make: () => "" });
      return code.replace(/....(?=.)/g, "$&-");
    },
    async isOpen() {
      if (digestNow() === null) return false;
      return people.isFirstAdminOpen();
    },
    async create({ code, name, email, password }) {
      const digest = digestNow();
      const isKnown = await isOfAnother(digestOf(code));
      if (digest === null && !isKnown)
        throw new PrivacyError(
          "CONFLICT",
          {},
          `no code is open here: there is an admin already, or it ended after ${CODE_HOURS} hours and a restart prints another`,
        );
      if (!isKnown && (digest === null || !timingSafeEqual(digestOf(code), digest)))
        throw new PrivacyError("UNAUTHENTICATED", {}, "the code is not the one that the terminal printed last");
      if (password !== undefined && email === undefined)
        throw new PrivacyError(
          "INVALID_PARAMETER",
          { name: "body.email", got: null, want: "an address: people sign in with it and the password" },
          "a password needs an e-mail address: people sign in with both",
        );
      if (password !== undefined) checkPassword(password, { name, email: email ?? null });
      const hash = password === undefined ? undefined : await hashPassword(password);
      const person = await people.createFirstAdmin({ name, email, hash });
      issued = null;
      return person;
    },
  };
}

/** Of the code as typed: small letters, spaces, dashes and what is easily misread do not count. */
function digestOf(code: string): Buffer {
  const plain = code.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");
  return createHash("sha256").update(plain).digest();
}
