import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, expect, test } from "vitest";
import { selfSigned } from "../../../../test/certificate.kit.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { clientOf, tokenFor } from "../instance.kit.ts";
import { openMailer } from "./mail.ts";

const opened: SMTPServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await new Promise<void>((resolve) => server.close(() => resolve()));
});

/** A real mail server that takes what a test lets it. Returns its port. */
async function serving(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({ authOptional: true, disabledCommands: ["STARTTLS"], ...options });
  server.on("error", () => undefined); // a client that breaks off
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return (server.server.address() as AddressInfo).port;
}

async function tried(url: string): Promise<string | null> {
  const mailer = await openMailer({ url, from: "Dosimeter <budget@example.org>" });
  try {
    return await mailer.test("ana@example.org");
  } finally {
    mailer.close();
  }
}

const { certificate: cert, key } = selfSigned("127.0.0.1");
const refused = (code: number) => Object.assign(new Error("we do not like you"), { responseCode: code });

test.each([
  ["takes the letter", "smtp://", {}, null],
  [
    "takes no such user",
    "smtp://u:p@",
    { authOptional: false, onAuth: (_: unknown, __: unknown, done: (e: Error) => void) => done(refused(535)) },
    /user and the password/,
  ],
  [
    "takes no such sender",
    "smtp://",
    { onMailFrom: (_: unknown, __: unknown, done: (e: Error) => void) => done(refused(550)) },
    /sender of DOSIMETER_MAIL_FROM/,
  ],
  ["is of an authority that is not known", "smtps://", { secure: true, cert, key }, /NODE_EXTRA_CA_CERTS=<file>/],
  ["speaks no TLS there", "smtps://", {}, /speaks no TLS at this port/],
] as const)("a mail server that %s is recognised, in words of what to do", async (_, scheme, options, words) => {
  const said = await tried(`${scheme}127.0.0.1:${await serving(options as SMTPServerOptions)}`);
  if (words === null) expect(said).toBeNull();
  else expect(said).toMatch(words);
  expect(said ?? "").not.toContain("we do not like you");
});

test("a mail server that does not answer is said to be unreachable", async () => {
  expect(await tried("smtp://127.0.0.1:1")).toMatch(/cannot be reached: look at host and port/);
});

test("an admin sends a letter to their own address, and to no other", async () => {
  const letters: string[] = [];
  const port = await serving({
    onRcptTo: ({ address }, _, done) => {
      letters.push(address);
      done();
    },
  });
  const instance = await instanceOfTest({ mail: { url: `smtp://127.0.0.1:${port}`, from: "d@example.org" } });
  const operator = clientOf(instance, instance.operatorToken);
  await expect(operator.testMail()).rejects.toThrow(/you have no e-mail address here/);
  const { id: person } = await operator.createPerson({ name: "Ana", email: "ana@example.org" });
  await operator.grantRole({ person, role: "platformAdmin", object: { kind: "platform" } });
  const ana = clientOf(instance, await tokenFor(instance, person));
  expect(await ana.testMail()).toEqual({ problem: null });
  expect(letters).toEqual(["ana@example.org"]);
});
