import { epsilonAmount, PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase } from "@dosimeter/ledger";
import type { Caller } from "../access/credentials.ts";
import { asJson } from "../sources/tables.ts";
import { type ReleaseRequest, storedOf } from "./charge.ts";

/** A refusal that a person can lift by a click: lets the release wait for it, and says for whom, until when and under which id. */
export async function waitsForClick(
  error: unknown,
  request: ReleaseRequest,
  { credential }: Pick<Caller, "credential">,
  { database }: { readonly database: LedgerDatabase },
): Promise<unknown> {
  if (!(error instanceof PrivacyError && error.code === "CONFIRMATION_NEEDED")) return error;
  const { requested, available } = error.details;
  const { principal, account, dataset, key, purpose } = request;
  const asked = await database.agents.askConfirmation({
    principal,
    account,
    dataset: dataset.id,
    key,
    asked: asJson(storedOf(request)),
    epsilon: typeof requested === "string" ? epsilonAmount(requested, "up") : null,
    credential: credential.id,
    purpose,
  });
  const behind = (await database.people.analystsBehind()).get(principal);
  const person = behind === undefined ? "no one" : (await database.people.principal(behind)).name;
  const cost = typeof requested === "string" ? `costs ε = ${requested}` : "has no price in ε";
  const facts = {
    ...error.details,
    confirmation: asked.id,
    decision: asked.status,
    person,
    expiresAt: asked.expiresAt,
  };
  return new PrivacyError(
    "CONFIRMATION_NEEDED",
    facts,
    asked.status === "refused"
      ? `${person} refused this release; nothing was charged`
      : `this release ${cost}, and this agent may spend at most ${String(available)} at once by itself: it waits until ${asked.expiresAt} for a click of ${person}; nothing was charged`,
  );
}
