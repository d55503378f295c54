import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkExport } from "@dosimeter/verify";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openSealer, sealedFor, sealerOf } from "../access/sealing.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { buildFixture, clientOf, type Fixture, openTestInstance } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { rotateKeySecret, rotateSigningKey, rotateSteps } from "./signing.ts";

const SECRET = "the first secret, which is long enough";
const NEXT = "the second secret, which is long too";
const place = temporaryFolder();
let fixture: Omit<Fixture, "instance">;
let signedByOld: string;
const at = (...path: string[]) => join(place, ...path);

const exported = async (instance: Instance): Promise<string> =>
  (await clientOf(instance, fixture.tokens.datasetAdmin).exportLedger({ ledger: fixture.ledger })).text();
const signer = async (instance: Instance) => (await checkExport(await exported(instance))).signedBy;

beforeAll(async () => {
  const instance = await openTestInstance({ folder: at("data") });
  fixture = await buildFixture(instance);
  signedByOld = await exported(instance);
  await instance.close();
});

test("a new key signs, what the old one signed verifies as before, and the old one vouches for it in the audit", async () => {
  await cp(at("data"), at("one"), { recursive: true });
  const old = await readFile(at("one", "signing.key"), "utf8");
  const { from, to } = await rotateSigningKey({ folder: at("one") });
  const instance = await openTestInstance({ folder: at("one") });
  expect([(await checkExport(signedByOld)).signedBy, await signer(instance)]).toEqual([from, to]);
  expect((await checkExport(signedByOld)).ok).toBe(true);
  const [line] = (await instance.database.audit.lines({ action: "signingKey.rotate" })).items;
  const { publicKey = "", signedByOld: signature = "" } = (line?.detail ?? {}) as Readonly<Record<string, string>>;
  const { createHash, createPublicKey, verify } = await import("node:crypto");
  const bytes = Buffer.from(publicKey, "base64");
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(to);
  expect(verify(null, Buffer.from(to, "hex"), createPublicKey(old), Buffer.from(signature, "base64"))).toBe(true);
  expect((await instance.database.ledgers.ledger(fixture.ledger as never)).status).toBe("open");
  expect((await instance.database.audit.verify()).problems).toEqual([]);
  await instance.close();
  expect(await readdir(at("one"))).not.toContain("signing.key.next");
  expect(await readFile(at("one", "signing.key"), "utf8")).not.toBe(old);
});

test("while a server runs the key is not replaced, nor with a SQLite file what people's secrets are sealed under", async () => {
  const instance = await instanceOfTest({ folder: at("data") });
  await instance.publish("http://localhost:1");
  await expect(rotateSigningKey({ folder: at("data") })).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
  await expect(rotateKeySecret({ folder: at("data") }, SECRET)).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
});

test("people's secrets are sealed by the first key secret, opened by the newest one only, and never stored as they are", async () => {
  const folder = at("sealed");
  await cp(at("data"), folder, { recursive: true });
  const opened = (keySecret: string | null) => openTestInstance({ folder, keySecret });
  const principal = fixture.people.member as never;
  const of = sealedFor.secondFactor(principal);
  const kept = async (instance: Instance) => (await instance.database.people.secondFactorOf(principal))?.secret ?? "";
  const begin = async (instance: Instance, secret: string) =>
    instance.database.people.beginSecondFactor({ principal, secret, atSignIn: false, by: principal });
  const plain = await opened(null);
  await begin(plain, "OPEN");
  const { secret } = await clientOf(plain, fixture.tokens.member).setWebhook({ url: "https://hooks.example.org/x" });
  expect((await plain.database.outbox.webhook(principal))?.secret).toBe(secret);
  await plain.close();
  expect(await rotateKeySecret({ folder }, SECRET)).toEqual({ isResealed: true, file: null, isFinished: false });
  await expect(opened(null)).rejects.toThrow(/DOSIMETER_KEY_SECRET must be what/);
  await expect(opened(NEXT)).rejects.toThrow(/DOSIMETER_KEY_SECRET must be what/);
  const sealed = await opened(SECRET);
  const first = await kept(sealed);
  expect(first).toMatch(/^sealed\.1\./);
  const sealer = await openSealer(sealed.database, SECRET);
  expect(sealer.open(first, of)).toBe("OPEN");
  expect(() => sealer.open(first, sealedFor.webhook(principal)), "as something else").toThrow(/sealed under another/);
  expect(() => sealerOf(null).open(first, of)).toThrow(/sealed under another/);
  expect(sealer.open("OPEN", of), "from before there was a key").toBe("OPEN");
  const { secret: hook = "" } = (await sealed.database.outbox.webhook(principal)) ?? {};
  expect(hook).toMatch(/^sealed\.1\./);
  expect(sealer.open(hook, sealedFor.webhook(principal))).toBe(secret);
  await sealed.close();
  const file = join(folder, "key-secret");
  await writeFile(file, `${SECRET}\n`, { mode: 0o600 });
  await rotateKeySecret({ folder, keySecret: SECRET, secretFiles: { DOSIMETER_KEY_SECRET: file } }, NEXT);
  expect(await readFile(file, "utf8")).toBe(`${NEXT}\n`);
  await expect(rotateKeySecret({ folder, keySecret: SECRET }, "y".repeat(30))).rejects.toThrow(/must be what/);
  const again = await opened(NEXT);
  expect(() => sealer.open(first.slice(0, -2), of), "cut short").toThrow(/sealed under another/);
  const second = await kept(again);
  expect(() => sealer.open(second, of), "the old key is gone").toThrow(/sealed under another/);
  expect((await openSealer(again.database, NEXT)).open(second, of)).toBe("OPEN");
  expect((await again.database.audit.verify()).problems).toEqual([]);
  await again.close();
});

test("a key secret in a file is replaced only where its next one can be kept, and a rotation that was killed is finished", async () => {
  const folder = at("filed");
  await cp(at("data"), folder, { recursive: true });
  await rotateKeySecret({ folder }, SECRET);
  await mkdir(at("secrets"));
  const [file, link] = [at("secrets", "key"), at("key-link")];
  await writeFile(file, `${SECRET}\n`, { mode: 0o640 });
  await symlink(file, link);
  if (process.getuid?.() === 0) await chown(file, 12_345, 12_346);
  const { uid, gid, mode } = await stat(file);
  const rotate = (next: string, keySecret = SECRET) =>
    rotateKeySecret({ folder, keySecret, secretFiles: { DOSIMETER_KEY_SECRET: link } }, next);
  const opens = async (keySecret: string) => (await openTestInstance({ folder, keySecret })).close();

  await mkdir(`${file}.next`); // stands for a folder that takes no new file, which root cannot be given
  await expect(rotate(NEXT)).rejects.toMatchObject({
    code: "NOT_READY",
    message: expect.stringMatching(/nothing was changed/),
  });
  await opens(SECRET);
  await rm(`${file}.next`, { recursive: true });

  await writeFile(`${file}.next`, `${NEXT}\n`);
  expect(await rotate(NEXT), "one that is left and not in use").toMatchObject({ isFinished: false, file: link });
  expect(await readFile(link, "utf8")).toBe(`${NEXT}\n`);
  expect(await stat(file)).toMatchObject({ uid, gid, mode });
  expect(await readdir(at("secrets"))).toEqual(["key"]);
  await opens(NEXT);

  await writeFile(file, `${SECRET}\n`);
  await writeFile(`${file}.next`, `${NEXT}\n`);
  expect(await rotate("a third secret, which comes too early")).toMatchObject({ isFinished: true });
  expect(await readFile(link, "utf8")).toBe(`${NEXT}\n`);
  await writeFile(file, `${SECRET}\n`);
  await writeFile(`${file}.next`, "of neither\n");
  await expect(rotate("a third secret, which comes too early")).rejects.toThrow(/must be what/);
  expect(await readFile(`${file}.next`, "utf8"), "kept where neither opens").toBe("of neither\n");
});

test.each(rotateSteps)(
  "a rotation that is killed at %s leaves a server that signs, and is finished when it is run again",
  async (label) => {
    await cp(at("data"), at(label), { recursive: true });
    const script = `import { rotateSigningKey } from "./signing.ts";
    await rotateSigningKey({ folder: ${JSON.stringify(at(label))},
      step: (label) => { if (label === ${JSON.stringify(label)}) process.kill(process.pid, "SIGKILL"); } });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "inherit", "inherit"],
      timeout: 100_000, // by SIGTERM
    });
    expect((await once(child, "exit"))[1]).toBe("SIGKILL");
    const between = await openTestInstance({ folder: at(label) });
    const { signedBy } = await checkExport(signedByOld);
    expect(await signer(between)).toBe(signedBy);
    await between.close();
    const { from, to } = await rotateSigningKey({ folder: at(label) });
    expect(from).toBe(signedBy);
    const after = await openTestInstance({ folder: at(label) });
    expect(await signer(after)).toBe(to);
    expect((await after.database.audit.lines({ action: "signingKey.rotate" })).items).toMatchObject([{ subject: to }]);
    expect((await after.database.ledgers.ledger(fixture.ledger as never)).status).toBe("open");
    await after.close();
  },
);
