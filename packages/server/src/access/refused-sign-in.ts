import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase, PrincipalId } from "@dosimeter/ledger";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Rates } from "./rates.ts";

type SignInMethod = "password" | "link" | "invitation" | "token" | "provider" | "firstAdmin";

interface Tried {
  readonly method: SignInMethod;
  readonly address: string;
  readonly requestId: string;
  readonly email?: string;
}

/** Runs a sign-in; one that is refused is counted, and leaves an audit line as long as there are not too many. */
export type NotedSignIn = <T>(tried: Tried, signIn: () => Promise<T>) => Promise<T>;

export function openNotedSignIn({
  metrics,
  rates,
  afterwards,
  database,
}: {
  readonly metrics: Pick<Metrics, "signInRefused"> | null;
  readonly rates: Pick<Rates, "take">;
  readonly afterwards: (work: () => Promise<void>) => void;
  readonly database: Pick<LedgerDatabase, "people">;
}): NotedSignIn {
  /** Refusals since the last audit line that left none. */
  let unwritten = 0;

  /** A flood from many addresses hides no try to be a person who exists: each of these has a limit of their own. */
  async function note({ method, address, requestId: request, email }: Tried, code: string): Promise<void> {
    let person: PrincipalId | undefined;
    try {
      if (code !== AWAITED) await rates.take("refusedSignIn", address);
      const meant = email === undefined ? [] : await database.people.signInsOf(email);
      person = meant.find((one) => one !== null)?.id;
      await (person === undefined
        ? rates.take("refusedSignIns", "all")
        : rates.take("refusedSignInAs", code === AWAITED ? `${person} ${code}` : person));
    } catch (error) {
      if (!(error instanceof PrivacyError && error.code === "RATE_LIMITED")) throw error;
      unwritten += 1;
      return;
    }
    const before = unwritten;
    unwritten = 0;
    await database.people.refuseSignIn({
      method,
      code,
      address,
      request,
      person,
      ...(before > 0 && { unwritten: before }),
    });
  }

  return async (tried, signIn) => {
    try {
      return await signIn();
    } catch (error) {
      if (error instanceof PrivacyError && MEANS_REFUSED.has(error.code)) {
        const { code } = error;
        metrics?.signInRefused({ method: tried.method, code });
        // Whether the mail address is known decides what is written, so it is looked up after the answer.
        afterwards(() => note(tried, code));
      }
      throw error;
    }
  };
}

/** The password was right. Every sign-in in two steps begins so: these have a limit of their own, and hide no refusal. */
const AWAITED = "SECOND_FACTOR";
const MEANS_REFUSED: ReadonlySet<string> = new Set(["UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED", AWAITED]);
