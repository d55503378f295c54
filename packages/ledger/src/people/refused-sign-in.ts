import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import type { PrincipalId } from "../values/id.ts";
import { systemPrincipal } from "./principal.ts";

/** Someone who was not let in: how they tried, why not, and from where. */
interface RefusedSignIn {
  readonly method: string;
  /** Of the closed table of errors. */
  readonly code: string;
  /** The network address, as far as the server can tell. */
  readonly address: string;
  /** The id that the answer carried. */
  readonly request: string;
  /** Whom they tried to be, where that person exists. */
  readonly person?: PrincipalId | undefined;
  /** How many were refused since the last line and left none. */
  readonly unwritten?: number;
}

/** Adds an audit line, its only trace: `signIn.await` where the password was right and a code is awaited. The caller bounds how many there are. */
export async function refuseSignIn(context: Context, { person, ...detail }: RefusedSignIn): Promise<void> {
  const action = detail.code === "SECOND_FACTOR" ? "signIn.await" : "signIn.refuse";
  await change(context, async (_, chain) =>
    chain.append({ actor: systemPrincipal, action, subject: person ?? "unknown", detail }),
  );
}
