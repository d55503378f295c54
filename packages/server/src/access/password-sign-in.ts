import { PrivacyError } from "@dosimeter/core";
import type { Principal } from "@dosimeter/ledger";
import { verifyPassword } from "./password.ts";
import { confirmSecondFactor, needsSecondFactor, type SignInDeps, takeCode } from "./second-factor.ts";

interface Given {
  readonly email: string;
  readonly password: string;
}

/** UNAUTHENTICATED with the same message and timing for an unknown address, a missing password and a wrong one. */
export async function personOfPassword(
  { email, password }: Given,
  address: string,
  { database, rates, signIn }: SignInDeps,
): Promise<Principal> {
  if (signIn === "providers")
    throw new PrivacyError("FORBIDDEN", {}, "people sign in with a provider here, and in no other way");
  // Who guesses waits; whose password it is can sign in from elsewhere.
  await rates.take("signIn", address);
  await rates.take("password", `${address} ${email.trim().toLowerCase()}`);
  const [owner, typed = null, ...others] = await database.people.signInsOf(email);
  for (const person of [owner, typed, ...others]) {
    const stored = person === null ? null : await database.people.passwordOf(person.id);
    const isRight = await verifyPassword(password, stored);
    if (person !== null && isRight && person.removedAt === null) return person;
  }
  throw new PrivacyError("UNAUTHENTICATED", {}, "the address or the password is wrong");
}

interface Entered {
  readonly person: Principal;
  /** Where the code confirmed a second factor that was begun at this sign-in. */
  readonly recoveryCodes?: readonly string[];
}

/** The person of a password and, where they have a second factor or need one, of its code. SECOND_FACTOR where the code is missing. */
export async function enterByPassword(
  given: Given & { readonly code?: string | undefined },
  address: string,
  deps: SignInDeps,
): Promise<Entered> {
  const person = await personOfPassword(given, address, deps);
  const factor = await deps.database.people.secondFactorOf(person.id);
  if (factor !== null && factor.confirmedAt !== null) {
    if (given.code === undefined)
      throw new PrivacyError("SECOND_FACTOR", { need: "code" }, "give the code of your authenticator app too");
    await takeCode(person, given.code, deps);
    return { person };
  }
  if (!(await needsSecondFactor(person, deps))) return { person };
  if (factor === null || given.code === undefined)
    throw new PrivacyError(
      "SECOND_FACTOR",
      { need: "start" },
      "your password needs a second factor here: set up an authenticator app first",
    );
  return { person, recoveryCodes: await confirmSecondFactor(person, { code: given.code }, deps) };
}

/** FORBIDDEN where passwords are off. */
export function refuseWithoutPasswords({ signIn }: Pick<SignInDeps, "signIn">): void {
  if (signIn === "providers")
    throw new PrivacyError("FORBIDDEN", {}, "people sign in with a provider here: passwords are off");
}

/** FORBIDDEN unless this is the person's own password, and where passwords are off. */
export async function passwordIs(password: string, { id }: Principal, deps: SignInDeps): Promise<void> {
  refuseWithoutPasswords(deps);
  await deps.rates.take("password", id);
  if (!(await verifyPassword(password, await deps.database.people.passwordOf(id))))
    throw new PrivacyError("FORBIDDEN", { name: "body.password" }, "this is not your password now");
}
