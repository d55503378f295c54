import { createTransport } from "nodemailer";

/** How mail leaves: an SMTP server, and whom it is from. */
export interface MailOptions {
  /** `smtp://user:secret@host:587`, or `smtps://…`. */
  readonly url: string;
  readonly from: string;
}

export interface Letter {
  /** Stays the same when it is sent again, so that a mail box can tell. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** `refused`: this letter will never be taken; throws when it may be later. */
  send(letter: Letter): Promise<"delivered" | "refused">;
  close(): void;
}

const TIMEOUT_MS = 20_000;

export function openMailer({ url, from }: MailOptions): Mailer {
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
  return {
    async send({ id, to, subject, text }) {
      try {
        await transport.sendMail({
          to: { name: "", address: to },
          subject: oneLine(subject),
          text,
          messageId: `<${id}@${host}>`,
          headers: { "auto-submitted": "auto-generated", "x-dosimeter-delivery": id },
        });
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

/** A person's name must not become a header. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ").slice(0, 200);
