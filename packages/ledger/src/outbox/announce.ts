import { formatEpsilon } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Context } from "../context.ts";
import { rowWith } from "../stores/row.ts";
import type { Tx } from "../stores/store.ts";
import type { Tables } from "../stores/tables.ts";
import { found } from "../values/check.ts";
import { entryOf, type LedgerId } from "../values/id.ts";
import type { Said } from "../values/note.ts";
import { type Notice, notify } from "./notify.ts";
import { adminsOf, datasetNames, datasetsOf, deciders, holders, nameOf } from "./recipients.ts";

type Teller = (tx: Tx, note: Said) => Promise<Omit<Notice, "once"> | null>;

/** Notifies the people whom each change concerns, and who made it only where `isForActor`. Called once for each transaction, before it ends. */
export async function announce(context: Context, tx: Tx, said: readonly Said[]): Promise<void> {
  for (const note of said) {
    if (isCovered(note, said)) continue;
    const teller = tellers[note.action];
    const notice = teller === undefined ? null : await teller(tx, note);
    if (notice === null) continue;
    const to = notice.to.filter((person) => person !== note.actor || isForActor(note, notice));
    if (to.length > 0) await notify(context, tx, { ...notice, to, once: String(note.seq) });
  }
}

/** What expires is written in the requester's name. What opens an account to someone may not have been done by its owner. */
const isForActor = ({ action }: Said, { kind }: Pick<Notice, "kind">): boolean =>
  action === "request.expire" || kind === "security";

/** The notice of a decision includes what it moved, and that of a new account its first quota. */
function isCovered({ action }: Said, said: readonly Said[]): boolean {
  const isMove = action === "account.open" || action.startsWith("quota.");
  const isIn = (start: string) => said.some((other) => other.action.startsWith(start));
  return (
    (isMove && isIn("request.")) ||
    (action === "quota.allocate" && isIn("account.open")) ||
    (action.startsWith("quota.") && isIn("account.close"))
  );
}

const detailOf = ({ detail }: Said): Readonly<Record<string, string | undefined>> => (detail ?? {}) as never;

const requestOf = async ({ db }: Tx, id: string): Promise<Tables["request"]> =>
  found(await rowWith(db, "request", { id }), "request", id);

async function requestFacts(tx: Tx, row: Tables["request"]): Promise<Record<string, string>> {
  return {
    requester: await nameOf(tx, row.requester_id),
    holder: await nameOf(tx, row.holder_id),
    dataset: await nameOf(tx, row.dataset_id),
    epsilon: formatEpsilon(row.epsilon),
  };
}

const made: Teller = async (tx, note) => {
  const row = await requestOf(tx, note.subject);
  if (row.status !== "submitted") return null; // decided in advance
  const facts = { ...(await requestFacts(tx, row)), note: row.note };
  return { to: await deciders(tx, row), kind: "requestMade", subject: row.id, facts };
};

const decided: Teller = async (tx, note) => {
  const row = await requestOf(tx, note.subject);
  const amount = row.granted_epsilon ?? row.offered_epsilon;
  const facts = {
    ...(await requestFacts(tx, row)),
    outcome: row.status,
    note: row.decision_note,
    ...(amount === null ? {} : { amount: formatEpsilon(amount) }),
  };
  return { to: [row.requester_id], kind: "requestDecided", subject: row.id, facts };
};

/** The notice to the person who acted on it last, or to those who give out the quota. */
const answered: Teller = async (tx, note) => {
  const row = await requestOf(tx, note.subject);
  const facts = { ...(await requestFacts(tx, row)), outcome: row.status, answer: row.answer };
  const deciding = row.decider_id === null ? await deciders(tx, row) : [row.decider_id];
  const to = row.status === "expired" ? [row.requester_id, ...deciding] : deciding;
  return { to, kind: "requestAnswered", subject: row.id, facts };
};

const account =
  (what: string, subjectOf: (note: Said) => string): Teller =>
  async (tx, note) => {
    const detail = detailOf(note);
    const row = await rowWith(tx.db, "account", { id: subjectOf(note) });
    if (row === undefined) return null;
    const facts = {
      what,
      holder: await nameOf(tx, row.holder_id),
      dataset: await datasetNames(tx, row.ledger_id),
      ...present({ epsilon: detail.epsilon }),
    };
    return { to: await holders(tx, row), kind: "quotaChanged", subject: row.id, facts };
  };

/** Says nothing that the agent wrote: that stands on the page, in a block of its own. */
const waits: Teller = async (tx, { subject }) => {
  const row = found(await rowWith(tx.db, "confirmation", { id: subject }), "confirmation", subject);
  const behind = await rowWith(tx.db, "service", { principal_id: row.principal_id });
  if (behind === undefined) return null;
  const facts = {
    agent: await nameOf(tx, row.principal_id),
    dataset: await nameOf(tx, row.dataset_id),
    until: row.expires_at,
    ...(row.epsilon === null ? {} : { epsilon: formatEpsilon(row.epsilon) }),
  };
  return { to: [behind.on_behalf_of], kind: "agentWaits", subject, facts };
};

/** Those who may be the second person; afterwards who asked. */
const program =
  (outcome?: "approved" | "refused"): Teller =>
  async (tx, { subject, ledger }) => {
    const [, digest = ""] = subject.split("_");
    const row = await rowWith(tx.db, "declare_wait", { digest });
    if (row === undefined || ledger === undefined || ledger === null) return null;
    const facts = {
      person: await nameOf(tx, row.principal_id),
      dataset: await nameOf(tx, row.dataset_id),
      ...{ key: row.key, ...present({ outcome }) },
    };
    const behind = (await rowWith(tx.db, "service", { principal_id: row.principal_id }))?.on_behalf_of;
    const seconds = async () => (await ledgerAdmins(tx, ledger)).filter((person) => person !== behind);
    const to = outcome === undefined ? await seconds() : [row.principal_id];
    return { to, kind: "programWaits", subject: digest, facts };
  };

async function ledgerAdmins(tx: Tx, ledger: LedgerId): Promise<readonly string[]> {
  const lists: (readonly string[])[] = [];
  for (const { id } of await datasetsOf(tx, ledger)) lists.push(await adminsOf(tx, "datasetAdmin", id));
  return lists[0]?.filter((person) => lists.every((those) => those.includes(person))) ?? [];
}

const own = ({ subject }: Said): string => subject;
const named = (note: Said): string => detailOf(note).account ?? note.subject;

const member =
  (what: string): Teller =>
  async (tx, note) => {
    const { team = "", principal = "" } = detailOf(note);
    const person = { what, person: await nameOf(tx, principal), team: await nameOf(tx, team) };
    const to = what === "left" ? [principal, ...(await adminsOf(tx, "teamAdmin", team))] : [principal];
    return { to, kind: "membership", subject: team, facts: person };
  };

const role =
  (what: string): Teller =>
  async (tx, note) => {
    const row = await tx.db.selectFrom("role_binding").selectAll().where("id", "=", note.subject).executeTakeFirst();
    if (row === undefined) return null;
    const object = row.object_id === null ? "the platform" : await nameOf(tx, row.object_id);
    const facts = { what, role: row.role, object };
    return { to: [row.principal_id], kind: "membership", subject: row.object_id ?? row.id, facts };
  };

const security =
  (what: string): Teller =>
  async (_, note) => ({
    to: [detailOf(note).principal ?? note.subject],
    kind: "security",
    subject: note.subject,
    facts: { what },
  });

const guarantee: Teller = async (tx, note) => {
  if (note.ledger === undefined || note.ledger === null) return null;
  const row = await tx.db.selectFrom("ledger").selectAll().where("id", "=", note.ledger).executeTakeFirst();
  if (row === undefined || row.version === 1n) return null;
  const accounts = await tx.db.selectFrom("account").selectAll().where("ledger_id", "=", row.id).execute();
  const to = (await Promise.all(accounts.map((one) => holders(tx, one)))).flat();
  return { to, kind: "guarantee", subject: row.id, facts: { dataset: await datasetNames(tx, row.id) } };
};

const lost: Teller = async (tx, { subject }) => {
  const row = await rowWith(tx.db, "charge", { entry_seq: entryOf(subject) ?? 0n, id: subject });
  if (row === undefined) return null;
  const facts = { dataset: await nameOf(tx, row.dataset_id), person: await nameOf(tx, row.principal_id) };
  return { to: [row.principal_id], kind: "answerLost", subject, facts };
};

const handed: Teller = async (tx, note) => {
  const row = found(await rowWith(tx.db, "draft", { id: note.subject }), "draft", note.subject);
  const facts = { by: await nameOf(tx, note.actor), name: row.name, draft: row.id };
  return { to: [row.owner_id], kind: "declaration", subject: row.id, facts };
};

const tellers: Readonly<Record<string, Teller>> = {
  "charge.wait": program(),
  "charge.approve": program("approved"),
  "charge.decline": program("refused"),
  "request.make": made,
  "request.resume": made,
  "request.approve": decided,
  "request.reject": decided,
  "request.counter": decided,
  "request.ask": decided,
  "request.escalate": decided,
  "request.answer": answered,
  "request.accept": answered,
  "request.decline": answered,
  "request.withdraw": answered,
  "request.expire": answered,
  "confirmation.ask": waits,
  "account.open": account("opened", own),
  "account.close": account("closed", own),
  "account.freeze": account("frozen", own),
  "account.frozen": account("frozen", own),
  "account.unfreeze": account("active again", own),
  "account.active": account("active again", own),
  "quota.allocate": account("given more", named),
  "quota.withdraw": account("reduced", named),
  "quota.recall": account("recalled", named),
  "quota.transfer": account("changed by a transfer", named),
  "member.add": member("joined"),
  "member.remove": member("left"),
  "role.grant": role("given"),
  "role.revoke": role("taken away"),
  "password.change": security("password"),
  "passwordLink.mail": security("passwordLink"),
  // One that is mailed was news when the mail was asked for, and is made again for each attempt to send it.
  "passwordLink.create": async (tx, note) =>
    detailOf(note).how === "mail" ? null : security("passwordLink")(tx, note),
  "secondFactor.begin": async (tx, note) =>
    detailOf(note).how === "signIn" ? security("secondFactorBegun")(tx, note) : null,
  "secondFactor.confirm": security("secondFactor"),
  "secondFactor.recover": security("recoveryCode"),
  "secondFactor.end": security("noSecondFactor"),
  "identity.link": security("identity"),
  "webhook.set": security("webhook"),
  "principal.change": security("profile"),
  "draft.hand": handed,
  "charge.lost": lost,
  "guarantee.create": guarantee,
};
