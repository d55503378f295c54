import { PrivacyError } from "@dosimeter/core";
import type { Deps } from "../instance/deps.ts";

type SignInMethod = "password" | "link" | "invitation" | "token" | "provider" | "firstAdmin";

interface Tried {
  readonly method: SignInMethod;
  readonly address: string;
  readonly requestId: string;
  readonly email?: string;
}

/** Runs a sign-in; one that is refused is counted, and leaves an audit line as long as there are not too many. */
export async function noted<T>(
  deps: Pick<Deps, "metrics" | "rates" | "afterwards" | "database">,
  tried: Tried,
  signIn: () => Promise<T>,
): Promise<T> {
  try {
    return await signIn();
  } catch (error) {
    if (error instanceof PrivacyError && MEANS_REFUSED.has(error.code)) await note(deps, tried, error.code);
    throw error;
  }
}

const MEANS_REFUSED: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED"]);

async function note(
  { metrics, rates, afterwards, database }: Pick<Deps, "metrics" | "rates" | "afterwards" | "database">,
  { method, address, requestId: request, email }: Tried,
  code: string,
): Promise<void> {
  metrics?.signInRefused({ method, code });
  try {
    await rates.take("refusedSignIn", address);
    await rates.take("refusedSignIns", "all");
  } catch {
    return; // a flood is counted, and does not fill the audit
  }
  // Whether the address is known decides what is written, so it is written after the answer.
  afterwards(() => database.people.refuseSignIn({ method, code, address, request, email }));
}
