import { change } from "../audit/change.ts";
import type { Context } from "../context.ts";
import { principalByEmail, systemPrincipal } from "./principal.ts";

/** Someone who was not let in: how they tried, why not, and from where. */
interface RefusedSignIn {
  readonly method: string;
  /** Of the closed table of errors. */
  readonly code: string;
  /** The network address, as far as the server can tell. */
  readonly address: string;
  /** The id that the answer carried. */
  readonly request: string;
  /** The mail address that was tried; only whose it is gets into the line. */
  readonly email?: string | undefined;
}

/** Adds an audit line, its only trace. The caller bounds how many there are. */
export async function refuseSignIn(context: Context, { email, ...detail }: RefusedSignIn): Promise<void> {
  const person = email === undefined ? null : await principalByEmail(context, email);
  await change(context, async (_, chain) =>
    chain.append({ actor: systemPrincipal, action: "signIn.refuse", subject: person?.id ?? "unknown", detail }),
  );
}
