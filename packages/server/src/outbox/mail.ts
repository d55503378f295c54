import { randomUUID } from "node:crypto";
import { mailProblem } from "./mail-problem.ts";

/** The SMTP server that takes mail, and its sender. */
export interface MailOptions {
  /** `smtp://user:secret@host:587`, or `smtps://…`. */
  readonly url: string;
  readonly from: string;
}

export interface Letter {
  /** The same when it is sent again, so that a mailbox recognises duplicates. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Signs in and sends nothing. Null, or what to do. */
  verify(): Promise<string | null>;
  /** Sends a letter that says that mail works. Null, or what to do. */
  test(to: string): Promise<string | null>;
  /** `refused` when the server will never take this letter; throws when it may later. */
  send(letter: Letter): Promise<"delivered" | "refused">;
  close(): void;
}

const TIMEOUT_MS = 20_000;
const TEST = "An admin of the platform asked for this letter, to see whether mail works. It does.\n";

/** Loads the mail library here, which takes 40 ms of the processor that a server without mail need not pay. */
export async function openMailer({ url, from }: MailOptions): Promise<Mailer> {
  const { createTransport } = await import("nodemailer");
  const options = {
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const transport = createTransport(options, { from });
  const host = /@([^>\s]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
  const deliver = ({ id, to, subject, text }: Letter) =>
    transport.sendMail({
      to: { name: "", address: to },
      subject: oneLine(subject),
      text,
      messageId: `<${id}@${host}>`,
      headers: { "auto-submitted": "auto-generated", "x-dosimeter-delivery": id },
    });
  return {
    verify: () => transport.verify().then(() => null, mailProblem),
    test: (to) =>
      deliver({ id: randomUUID(), to, subject: "Dosimeter can send mail", text: TEST }).then(() => null, mailProblem),
    async send(letter) {
      try {
        await deliver(letter);
        return "delivered";
      } catch (error) {
        const { responseCode } = error as { responseCode?: number };
        if (responseCode !== undefined && responseCode >= 500 && responseCode < 600) return "refused";
        throw error;
      }
    },
    close: () => transport.close(),
  };
}

/** Removes line breaks, so that a name cannot add a header. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ").slice(0, 200);
