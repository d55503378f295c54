import { randomUUID } from "node:crypto";

/** What to do where mail cannot be sent, for who runs the server; nothing that the mail server said is repeated. */
function mailProblem(error: unknown): string {
  const {
    code = "",
    responseCode,
    cause,
  } = error as {
    readonly code?: string;
    readonly responseCode?: number;
    readonly cause?: { readonly code?: string };
  };
  for (const one of [cause?.code, systemCode(error), code]) {
    const words = one === undefined ? undefined : problems[one];
    if (words !== undefined) return words;
  }
  return `The mail server refused the letter${responseCode === undefined ? "" : ` with ${responseCode}`}: look at its log.`;
}

/** The code that Node's TLS and network give, which the library keeps only in the text of its error. */
const systemCode = (error: unknown): string | undefined => {
  const { message = "" } = error as { readonly message?: string };
  return texts.find(([text]) => message.toLowerCase().includes(text))?.[1];
};

const texts: readonly (readonly [string, string])[] = [
  ["self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["self signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["unable to verify the first certificate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ["unable to get local issuer certificate", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
  ["certificate has expired", "CERT_HAS_EXPIRED"],
  ["does not match certificate's altnames", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["wrong version number", "PLAIN"],
];

const UNTRUSTED =
  "The mail server has a certificate that is not trusted: name its authority by NODE_EXTRA_CA_CERTS=<file>, and start the server again.";
const UNREACHABLE =
  "The mail server cannot be reached: look at host and port in DOSIMETER_MAIL_URL, and at the firewall.";

const problems: Readonly<Record<string, string>> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: "The mail server has a certificate that has expired.",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "The mail server has a certificate for another host than that of DOSIMETER_MAIL_URL: name it as the certificate does.",
  PLAIN: "The mail server speaks no TLS at this port: write smtp:// with 587, or smtps:// with 465.",
  EAUTH: "The mail server does not take the user and the password of DOSIMETER_MAIL_URL.",
  EENVELOPE: "The mail server does not take the sender of DOSIMETER_MAIL_FROM, or this recipient.",
  EDNS: UNREACHABLE,
  ECONNECTION: UNREACHABLE,
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ESOCKET: UNREACHABLE,
};

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
