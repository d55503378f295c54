import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type LedgerDatabase, openLedgerDatabase } from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { instanceSigner } from "./signer.ts";

const SECRET = "a long text that is nowhere else";
let root: string;
let database: LedgerDatabase;
beforeEach(async () => {
  root = temporaryFolder();
  database = await openLedgerDatabase(await sqliteStore(join(root, "books.sqlite")));
});
afterEach(() => database.close());

const folder = () => mkdtempSync(join(root, "data-"));
const stored = () => database.shared.secret({ name: "signing", make: () => "nothing yet" });
const signer = (secret: string | null) => instanceSigner(folder(), { shared: database.shared, secret });

test("one process keeps its key in its folder, and puts none into the ledger database", async () => {
  const own = folder();
  const { publicKey } = await instanceSigner(own, null);
  expect((await instanceSigner(own, null)).publicKey).toBe(publicKey);
  expect(await stored()).toBe("nothing yet");
});

test("processes sign with one key, which the ledger database has only encrypted under their secret", async () => {
  const [first, second] = [await signer(SECRET), await signer(SECRET)];
  expect(second.publicKey).toBe(first.publicKey);
  expect(second.sign(new Uint8Array(32))).toBe(first.sign(new Uint8Array(32)));
  expect(await stored()).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/);
});

test("another secret, none, or one that came too late starts nothing", async () => {
  await signer(SECRET);
  for (const wrong of ["another long text, but not it", null])
    await expect(signer(wrong)).rejects.toThrow(
      /^DOSIMETER_KEY_SECRET must be what the signing key was encrypted under$/,
    );
});

test("a key that was stored as it is stays usable without a secret, and is not said to be protected by one", async () => {
  const { publicKey } = await signer(null);
  expect((await signer(null)).publicKey).toBe(publicKey);
  await expect(signer(SECRET)).rejects.toThrow(/stored without it/);
});
