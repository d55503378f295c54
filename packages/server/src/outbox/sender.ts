import type { Delivery, Facts, LedgerDatabase, NotificationKind, PrincipalId } from "@dosimeter/ledger";
import { hoursFromNow, LINK_HOURS } from "../access/credentials.ts";
import { type Sealer, sealedFor } from "../access/sealing.ts";
import type { Log } from "../telemetry/log.ts";
import { openLine } from "./line.ts";
import type { Letter, Mailer } from "./mail.ts";
import { postWebhook } from "./webhook.ts";
import { wordsOf } from "./words.ts";

interface SenderOptions {
  readonly database: LedgerDatabase;
  readonly sealer: Sealer;
  readonly mailer: Mailer | null;
  /** Whether webhooks may go to this machine and its private networks. */
  readonly allowInside: boolean;
  /** The origin of links; null while it is not known. */
  readonly origin: () => string | null;
  readonly log: Log;
}

/** Sends what waits in the outbox, at least once, each time under the same id. */
export interface Sender {
  /** Looks now, because something was written. */
  wake(): void;
  /** Sends what is due now; resolves after the attempt. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The pause between two looks for what another process wrote or what failed before. */
const PAUSE_MS = 15_000;
/** The delay after `wake`, so that several changes cause one look. */
const SETTLE_MS = 200;

/** What is sent: a notification, an invitation, or a link to sign in or to set a new password. */
type Message =
  | { readonly kind: "invitation"; readonly invitation: string }
  | { readonly kind: "link"; readonly principal: string }
  | {
      readonly kind: "passwordLink";
      readonly principal: PrincipalId;
      readonly expiresAt: string;
      readonly by: PrincipalId;
    }
  | { readonly kind: NotificationKind; readonly facts: Facts; readonly subject: string; readonly more?: number };

export function openSender({ database, sealer, mailer, allowInside, origin, log }: SenderOptions): Sender {
  // Mail waits for a server that can send it.
  const channels = mailer === null ? (["webhook"] as const) : (["mail", "webhook"] as const);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;
  const lines = channels.map((channel) => openLine(channel, { database, send: sendOne, isClosed: () => isClosed }));

  async function flush(): Promise<void> {
    await Promise.all(lines.map((line) => line.flush().catch(failed)));
  }

  async function sendOne(delivery: Delivery): Promise<void> {
    let outcome: "delivered" | "refused" | "failed" = "failed";
    try {
      outcome = delivery.channel === "mail" ? await mailOne(delivery) : await postOne(delivery);
    } catch {
      log.info(`${delivery.channel} not delivered yet`, { count: delivery.tries });
    }
    await database.outbox.endDelivery({ id: delivery.id, outcome }).catch(failed);
  }

  function failed(error: unknown): void {
    if (!isClosed) log.error("OUTBOX_FAILED", { error: error instanceof Error ? error.name : "unknown" });
  }

  async function mailOne({ id, principal, address, message }: Delivery): Promise<"delivered" | "refused" | "failed"> {
    if (mailer === null || address === null) return "refused";
    const base = origin();
    if (base === null) return "failed";
    const letter = await letterOf(message as Message, {
      reader: principal,
      address,
      origin: base,
      database,
    });
    return letter === null ? "refused" : mailer.send({ id, to: address, ...letter });
  }

  async function postOne({ id, principal, address, message }: Delivery): Promise<"delivered" | "refused"> {
    const hook = principal === null ? null : await database.outbox.webhook(principal);
    if (hook === null || hook.url !== address) return "refused"; // it was changed or removed meanwhile
    const at = Math.floor(Date.now() / 1000);
    const body = JSON.stringify({ id, ...(message as object) });
    const secret = sealer.open(hook.secret, sealedFor.webhook(principal ?? ""));
    return postWebhook({ id, url: hook.url, secret, body, at }, { allowInside });
  }

  /** Brings the next look forward, never back: a flood of wishes delays nothing. */
  function schedule(milliseconds: number): void {
    const at = performance.now() + milliseconds;
    if (isClosed || at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(() => {
      due = Number.POSITIVE_INFINITY;
      void flush();
      schedule(PAUSE_MS);
    }, milliseconds);
    timer.unref();
  }
  schedule(SETTLE_MS);

  return {
    wake: () => schedule(SETTLE_MS),
    flush,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all(lines.map((line) => line.settled()));
    },
  };
}

/** Makes the secret of a letter when it is sent, so that the outbox holds no secrets. */
async function letterOf(
  message: Message,
  {
    reader,
    address,
    origin,
    database: { people },
  }: {
    readonly reader: string | null;
    readonly address: string;
    readonly origin: string;
    readonly database: LedgerDatabase;
  },
): Promise<Pick<Letter, "subject" | "text"> | null> {
  if (message.kind === "invitation") {
    const minted = await people.mintInvitation(message.invitation);
    if (minted === null) return null;
    const { name } = await people.team(minted.invitation.team);
    const by = await people.principal(minted.invitation.by);
    return {
      subject: `${by.name} invites you to the team ${name} on Dosimeter`,
      text: `${by.name} invites you to the team ${name}.\n\nJoin it here, once, until ${minted.invitation.expiresAt.slice(0, 10)}:\n${origin}/join#${minted.secret}\n`,
    };
  }
  if (message.kind === "link") {
    const person = await people.principal(message.principal);
    // No one signs in through an address that is no longer theirs.
    if (person.removedAt !== null || person.email !== address) return null;
    const { secret } = await people.createCredential({
      kind: "link",
      principal: person.id,
      address,
      expiresAt: hoursFromNow(LINK_HOURS / 24),
      by: person.id,
    });
    return {
      subject: "Your sign-in link for Dosimeter",
      text: `Sign in here, once, within an hour:\n${origin}/sign-in#${secret}\n\nIf you did not ask for it, nothing has happened.\n`,
    };
  }
  if (message.kind === "passwordLink") {
    const { principal, expiresAt, by } = message;
    const person = await people.principal(principal);
    const isLate = expiresAt <= hoursFromNow(0);
    if (isLate || person.removedAt !== null || person.email !== address) return null;
    const { secret } = await people.createPasswordLink({ principal, address, expiresAt, by });
    const { name } = await people.principal(by);
    return {
      subject: "Set a new password for Dosimeter",
      text: `${name} has this link sent to you, because your password is lost. Set a new one here, once, until ${expiresAt.slice(0, 16).replace("T", " ")} UTC:\n${origin}/sign-in#${secret}\n\nYou are signed out everywhere then, and your tokens and those of your AI agents end. If you did not ask for it, set none, and tell ${name}.\n`,
    };
  }
  const { title, text, path } = wordsOf(message.kind, message.facts, reader);
  const { more = 0 } = message;
  const others = more === 0 ? "" : `And ${more} more of this kind: ${origin}/notifications\n\n`;
  return {
    subject: title,
    text: `${title}.\n\n${text}\n\n${origin}${path}\n\n${others}Choose your notifications: ${origin}/settings\n`,
  };
}
