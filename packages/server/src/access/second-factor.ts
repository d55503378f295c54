import { randomBytes } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase, Principal } from "@dosimeter/ledger";
import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";
import type { Rates } from "./rates.ts";
import { type Sealer, sealedFor } from "./sealing.ts";

/** RFC 6238 as every authenticator app takes it, and RFC 4226's 160 bits. */
const APP = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;
/** Codes of the step before and after count too: clocks differ, and people type slowly. */
const STEPS_APART = 1;
const RECOVERY_CODES = 10;
/** 80 bits each, so that a fast hash is enough. */
const RECOVERY_BYTES = 10;

export interface SignInDeps {
  readonly database: LedgerDatabase;
  readonly rates: Rates;
  readonly sealer: Sealer;
  /** `providers`: no passwords, no mailed links and no invitations that let newcomers in. */
  readonly signIn: "any" | "providers";
  /** Whose passwords need a second factor also where they set none up: no one's, those of all admins, or all. */
  readonly secondFactor: "optional" | "admins" | "all";
}

/** Whether the server asks for a second factor of this person, whether they have one or not. */
export async function needsSecondFactor({ id }: Principal, { database, secondFactor }: SignInDeps): Promise<boolean> {
  if (secondFactor !== "admins") return secondFactor === "all";
  const { platformAdmin, datasetAdminOf, teamAdminOf } = await database.people.rolesOf(id);
  return platformAdmin || datasetAdminOf.length > 0 || teamAdminOf.length > 0;
}

/** A secret for the person's app, kept until a code confirms it: as text, as an address, and as a QR code of it. */
export async function beginSecondFactor(
  person: Principal,
  { origin, atSignIn }: { readonly origin: string; readonly atSignIn: boolean },
  { database, sealer }: Pick<SignInDeps, "database" | "sealer">,
) {
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  const stored = sealer.seal(secret, sealedFor.secondFactor(person.id));
  await database.people.beginSecondFactor({ principal: person.id, secret: stored, atSignIn, by: person.id });
  const label = person.email ?? person.name;
  const url = new TOTP({ ...APP, issuer: `Dosimeter ${new URL(origin).host}`, label, secret }).toString();
  // Black on white in every theme: cameras read nothing else reliably.
  return { secret, url, svg: renderSVG(url, { border: 2 }) };
}

/** Confirms what was begun by a code of the app. Answers the recovery codes; FORBIDDEN when the code is wrong. */
export async function confirmSecondFactor(
  person: Principal,
  { code, keep }: { readonly code: string; readonly keep?: string },
  { database, rates, sealer }: SignInDeps,
): Promise<string[]> {
  const { id: principal } = person;
  await rates.take("secondFactor", principal);
  const factor = await database.people.secondFactorOf(principal);
  if (factor === null) throw new PrivacyError("CONFLICT", {}, "no second factor was begun");
  const step = stepOf(sealer.open(factor.secret, sealedFor.secondFactor(principal)), code);
  if (step === null) throw wrongCode("this code is wrong, or another app was begun since: then begin again");
  const recovery = Array.from({ length: RECOVERY_CODES }, recoveryCode);
  await database.people.confirmSecondFactor({
    principal,
    secret: factor.secret,
    step,
    recovery: recovery.map(plain),
    keep,
    by: principal,
  });
  return recovery;
}

/** Takes a code of the app or a recovery code of a person who has a second factor, each once; FORBIDDEN. */
export async function takeCode(
  person: Principal,
  code: string,
  { database: { people }, rates, sealer }: SignInDeps,
): Promise<void> {
  const { id: principal } = person;
  await rates.take("secondFactor", principal);
  const factor = await people.secondFactorOf(principal);
  if (factor === null || factor.confirmedAt === null) throw wrongCode();
  const { secret } = factor;
  const step = stepOf(sealer.open(secret, sealedFor.secondFactor(principal)), code);
  if (step !== null && (await people.useSecondFactor({ principal, secret, step }))) return;
  if (step === null && (await people.useRecoveryCode({ principal, code: plain(code) }))) return;
  throw wrongCode();
}

/** The time step of which this is the code; null for none near now. */
function stepOf(secret: string, code: string): number | null {
  const totp = new TOTP({ ...APP, secret });
  const timestamp = Date.now();
  const apart = totp.validate({ token: code.replace(/\s/g, ""), timestamp, window: STEPS_APART });
  return apart === null ? null : totp.counter({ timestamp }) + apart;
}

/** `abcd-efgh-ijkm-npqr`: letters and the digits 2 to 7, so no 0 and no 1. */
const recoveryCode = (): string =>
  new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32
    .toLowerCase()
    .replace(/.{4}(?=.)/g, "$&-");

/** A recovery code as its hash is made of: how it was typed does not count. */
const plain = (code: string): string => code.toLowerCase().replace(/[\s-]/g, "");

const wrongCode = (message = "this code is wrong, or was used already: wait for the next one"): PrivacyError =>
  new PrivacyError(
    "FORBIDDEN",
    { name: "body.code", want: "the newest code of your app, or a recovery code" },
    message,
  );
