import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { checkExport } from "@dosimeter/verify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildFixture, clientOf, type Fixture, temporaryFolder } from "../instance.kit.ts";
import { type Instance, openInstance } from "../instance.ts";
import { rotateKeySecret, rotateSigningKey, rotateSteps } from "./signing.ts";

let place: Awaited<ReturnType<typeof temporaryFolder>>;
let fixture: Omit<Fixture, "instance">;
let signedByOld: string;
const at = (...path: string[]) => join(place.folder, ...path);

const exported = async (instance: Instance): Promise<string> =>
  (await clientOf(instance, fixture.tokens.datasetAdmin).exportLedger({ ledger: fixture.ledger })).text();
const signer = async (instance: Instance) => (await checkExport(await exported(instance))).signedBy;

beforeAll(async () => {
  place = await temporaryFolder();
  const instance = await openInstance({ folder: at("data") });
  fixture = await buildFixture(instance);
  signedByOld = await exported(instance);
  await instance.close();
});
afterAll(() => place.remove());

test("a new key signs, what the old one signed verifies as before, and the old one vouches for it in the audit", async () => {
  await cp(at("data"), at("one"), { recursive: true });
  const old = await readFile(at("one", "signing.key"), "utf8");
  const { from, to } = await rotateSigningKey({ folder: at("one") });
  const instance = await openInstance({ folder: at("one") });
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

test("while a server runs the key is not replaced, and a SQLite file has no secret to replace", async () => {
  const instance = await openInstance({ folder: at("data") });
  await instance.publish("http://localhost:1");
  await expect(rotateSigningKey({ folder: at("data") })).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
  await instance.close();
  await expect(rotateKeySecret({ folder: at("data") }, "x".repeat(30))).rejects.toThrow(/encrypts nothing/);
});

test.each(rotateSteps)(
  "a rotation that is killed at %s leaves a server that signs, and is finished when it is run again",
  async (label) => {
    await cp(at("data"), at(label), { recursive: true });
    const script = `import { rotateSigningKey } from "./signing.ts";
    await rotateSigningKey({ folder: ${JSON.stringify(at(label))},
      step: (label) => { if (label === ${JSON.stringify(label)}) process.kill(process.pid, "SIGKILL"); } });`;
    const child = spawn(process.execPath, ["--conditions=@dosimeter/source", "--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "inherit", "inherit"],
      timeout: 100_000, // by SIGTERM
    });
    expect((await once(child, "exit"))[1]).toBe("SIGKILL");
    const between = await openInstance({ folder: at(label) });
    const { signedBy } = await checkExport(signedByOld);
    expect(await signer(between)).toBe(signedBy);
    await between.close();
    const { from, to } = await rotateSigningKey({ folder: at(label) });
    expect(from).toBe(signedBy);
    const after = await openInstance({ folder: at(label) });
    expect(await signer(after)).toBe(to);
    expect((await after.database.audit.lines({ action: "signingKey.rotate" })).items).toMatchObject([{ subject: to }]);
    expect((await after.database.ledgers.ledger(fixture.ledger as never)).status).toBe("open");
    await after.close();
  },
);
