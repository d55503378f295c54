import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../instance.kit.ts";
import { serve } from "../serve.ts";
import { newBackupKey } from "../ship/age.ts";
import { diagnose, refuseFaults, sentenceOf } from "./doctor.ts";
import { roomProblem } from "./folder.ts";

const { recipient } = await newBackupKey();
let place: Awaited<ReturnType<typeof temporaryFolder>>;
let taken: Server;
let port = "";

beforeAll(async () => {
  place = await temporaryFolder();
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", () => resolve()));
  port = String((taken.address() as { readonly port: number }).port);
  writeFileSync(join(place.folder, "file"), "");
  for (const name of ["closed", "apart"]) mkdirSync(join(place.folder, name));
  writeFileSync(join(place.folder, "secret"), "s3cret-s3cret-s3cret-s3cret");
  chmodSync(join(place.folder, "secret"), 0o644);
  const work = { id: "work", name: "Work", clientId: "d" };
  const files = {
    "http.json": [{ ...work, issuer: "http://id.example.org" }],
    "both.json": [{ ...work, issuer: "https://id.example.org", scim: true, groupsClaim: "groups" }],
    "right.json": [{ ...work, issuer: "https://id.example.org", scim: true }],
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(place.folder, name), JSON.stringify(content));
});
afterAll(async () => {
  taken.close();
  await place.remove();
});

const at = (name: string): string => join(place.folder, name);

async function said(env: NodeJS.ProcessEnv, folder = at("data")): Promise<string> {
  const { problems, findings } = await diagnose(folder, { env }, { isConnecting: false });
  return [...problems, ...findings.filter(({ problem }) => problem !== null).map(sentenceOf)].join("\n");
}

const shipTo = (name: string): NodeJS.ProcessEnv => ({
  DOSIMETER_SHIP: name.includes(":") ? name : at(name),
  DOSIMETER_SHIP_RECIPIENT: recipient,
});

/** A fault as it is planted, and the mend that the doctor must name. */
const planted: readonly (readonly [fault: string, env: () => NodeJS.ProcessEnv, mend: string])[] = [
  ["files below a file", () => ({ DOSIMETER_FILES: at("file/files") }), "is below a file: name a folder"],
  ["files that are a file", () => ({ DOSIMETER_FILES: at("file") }), "is a file: name a folder"],
  ["files below /proc", () => ({ DOSIMETER_FILES: "/proc/y" }), "cannot be made there"],
  ["files in /proc/self/fdinfo", () => ({ DOSIMETER_FILES: "/proc/self/fdinfo/a/b" }), "cannot be"],
  ["spill below /sys", () => ({ DOSIMETER_SPILL: "/sys/y" }), "DOSIMETER_SPILL: cannot be"],
  ["audit stream into nowhere", () => ({ DOSIMETER_AUDIT_STREAM: "file:///nope/lines" }), "is not there: make it"],
  ["audit stream of no kind", () => ({ DOSIMETER_AUDIT_STREAM: "ftp://nope" }), "DOSIMETER_AUDIT_STREAM must be"],
  ["a second place in the data folder", () => shipTo("data/place"), "DOSIMETER_SHIP is: lies in the data folder"],
  ["a second place around the data folder", () => shipTo("."), "or holds them: name a folder of another disk"],
  [
    "a second place around the files",
    () => ({ ...shipTo("apart"), DOSIMETER_FILES: at("apart/files") }),
    "or holds them: name a folder of another disk",
  ],
  ["a second place on the same disk", () => shipTo("apart"), "is on the disk of the data folder"],
  ["a second place at an address, without its secret", () => shipTo("https://host/ship"), "SECRET"],
  ["a second place in the clear", () => shipTo("http://host/ship"), "s3+https://host/bucket"],
  ["a bucket without a name", () => shipTo("s3+https://host/"), "s3+https://host/bucket"],
  ["witness into nowhere", () => ({ DOSIMETER_WITNESS: "file:///nope/c.json" }), "the folder of DOSIMETER_WITNESS"],
  ["witness of no kind", () => ({ DOSIMETER_WITNESS: "/nope" }), "DOSIMETER_WITNESS must be"],
  ["a host of five numbers", () => ({ DOSIMETER_HOST: "1.2.3.4.5" }), "DOSIMETER_HOST must be an address"],
  ["a host elsewhere", () => ({ DOSIMETER_HOST: "192.0.2.1" }), "is not an address of this machine"],
  ["a port that is taken", () => ({ PORT: port }), "is taken: end what listens there"],
  ["a port beyond the last", () => ({ PORT: "65536" }), "PORT must be 0 to 65535"],
  ["an address with a path", () => ({ DOSIMETER_PUBLIC_URL: "https://d.example.org/d" }), "without a path"],
  ["an address with a query", () => ({ DOSIMETER_PUBLIC_URL: "https://d.example.org/?a" }), "without a path"],
  ["an address with a password", () => ({ DOSIMETER_PUBLIC_URL: "https://a:b@d.example.org" }), "without a path"],
  ["an address in the clear", () => ({ DOSIMETER_PUBLIC_URL: "http://d.example.org" }), "End TLS at a proxy"],
  ["open without an address", () => ({ DOSIMETER_HOST: "0.0.0.0" }), "DOSIMETER_PUBLIC_URL: is not set"],
  ["more memory than there is", () => ({ DOSIMETER_MEMORY: "900000GB" }), "set DOSIMETER_MEMORY to"],
  ["memory without a unit", () => ({ DOSIMETER_MEMORY: "4" }), "DOSIMETER_MEMORY must be a size"],
  ["more threads than processors", () => ({ DOSIMETER_THREADS: "1024" }), "must be at most the"],
  ["no threads", () => ({ DOSIMETER_THREADS: "0" }), "DOSIMETER_THREADS must be 1 to 1024"],
  ["folders that are not there", () => ({ DOSIMETER_FOLDERS: "/nope" }), "a folder that is there"],
  ["sources that are not there", () => ({ DOSIMETER_SOURCES: at("nope.json") }), "DOSIMETER_SOURCES is missing"],
  [
    "hosts that are not there",
    () => ({ DOSIMETER_CONNECTION_HOSTS: at("nope.json") }),
    "must be the path of a JSON file",
  ],
  ["a provider over http", () => ({ DOSIMETER_OIDC: at("http.json") }), "0.issuer, which is http"],
  ["scim beside a claim", () => ({ DOSIMETER_OIDC: at("both.json") }), "which scim: true replaces"],
  ["providers that are not there", () => ({ DOSIMETER_OIDC: at("nope.json") }), "look at the file"],
  ["providers alone without one", () => ({ DOSIMETER_SIGN_IN: "providers" }), "needs DOSIMETER_OIDC"],
  ["a secret that all may read", () => ({ DOSIMETER_KEY_SECRET_FILE: at("secret") }), "chmod 600"],
  ["a secret that is not there", () => ({ DOSIMETER_KEY_SECRET_FILE: "/nope" }), "a file that can be read"],
  ["a short secret", () => ({ DOSIMETER_KEY_SECRET: "short" }), "20 characters or more"],
  ["mail from no one", () => ({ DOSIMETER_MAIL_URL: "smtp://127.0.0.1" }), "come together"],
  ["mail to no server", () => ({ DOSIMETER_MAIL_URL: "mail.example.org", DOSIMETER_MAIL_FROM: "a@b" }), "smtp://user"],
  ["a wire without a certificate", () => ({ DOSIMETER_POSTGRES_WIRE: "0" }), "come together"],
  ["a wire whose key is another's", () => wire(), "whose key is DOSIMETER_POSTGRES_WIRE_KEY"],
  ["a receiver of traces without http", () => ({ DOSIMETER_OTLP: "collector:4318" }), "http://host:4318"],
  ["a receiver of traces with half a letter", () => ({ DOSIMETER_OTLP: "http://u:%@collector" }), "http://host:4318"],
  ["a time to keep that is none", () => ({ DOSIMETER_KEEP_ACCESS: "0" }), "DOSIMETER_KEEP_ACCESS must be days"],
  ["a database of another kind", () => ({ DATABASE_URL: "mysql://h/d" }), "postgres://user"],
  ["a setting that is none", () => ({ DOSIMETER_METRIX: "1" }), "DOSIMETER_METRIX is not a setting"],
  ["a file of settings that is not there", () => ({ DOSIMETER_CONFIG: "/nope" }), "/nope must be a YAML file"],
  ["a data folder that is a file", () => ({}), "is a file: name a folder"],
];

const wire = (): NodeJS.ProcessEnv => ({
  DOSIMETER_POSTGRES_WIRE: "0",
  DOSIMETER_POSTGRES_WIRE_CERTIFICATE: at("file"),
  DOSIMETER_POSTGRES_WIRE_KEY: "-----BEGIN PRIVATE KEY-----",
});

describe("the doctor", () => {
  test("finds nothing where nothing is wrong, and leaves nothing there", async () => {
    expect(await said({})).toBe("");
    expect(await said({}, at("data/deeper"))).toBe("");
    await expect(said({}, at("data"))).resolves.toBe("");
  });

  test.each(planted)("finds %s, and says the mend", async (fault, env, mend) => {
    const folder = fault.startsWith("a data folder") ? at("file") : at("data");
    expect(await said(env(), folder)).toContain(mend);
  });

  test.each(planted)("says of %s nothing of where it is on this machine", async (fault, env) => {
    const folder = fault.startsWith("a data folder") ? at("file") : at("data");
    const { findings } = await diagnose(folder, { env: env() }, { isConnecting: false });
    expect(findings.map(sentenceOf).join("\n")).not.toContain(place.folder);
  });

  test("names all faults at once, and a server does not start with them", async () => {
    const env = { DOSIMETER_AUDIT_STREAM: "file:///nope/lines", DOSIMETER_WITNESS: "file:///nope/c.json", PORT: "x" };
    const found = await said(env);
    for (const name of ["DOSIMETER_AUDIT_STREAM", "DOSIMETER_WITNESS", "PORT"]) expect(found).toContain(name);
    const { DOSIMETER_AUDIT_STREAM: auditStream, DOSIMETER_WITNESS: witness } = env;
    await expect(serve({ folder: at("data"), auditStream, witness, port: 0 })).rejects.toMatchObject({
      code: "NOT_READY",
      message: expect.stringMatching(/AUDIT_STREAM.*; .*WITNESS/),
    });
  });

  test("advises about a disk with no room but what stays free, and starts keep the folder that they try", async () => {
    const { findings } = await diagnose(at("new/data"), { env: {} }, { isConnecting: false });
    expect(findings).toContainEqual({
      what: "the disk of the data folder",
      problem: null,
      isAdvice: true,
    });
    expect(await roomProblem(at("new/data"), Number.MAX_SAFE_INTEGER)).toContain("Make room");
    expect(existsSync(at("new"))).toBe(false);
    await refuseFaults(at("new/data"), {});
    expect(existsSync(at("new/data"))).toBe(true);
  });

  test("prints what other programs need", async () => {
    const env = {
      DOSIMETER_PUBLIC_URL: "https://d.example.org",
      DOSIMETER_OIDC: at("right.json"),
      DOSIMETER_METRICS: "1",
      PORT: "0",
    };
    const { elsewhere } = await diagnose(at("data"), { env }, { isConnecting: false });
    const texts = Object.fromEntries(elsewhere.map(({ where, text }) => [where, text]));
    expect(texts).toMatchObject({
      "the provider Work, redirect address": "https://d.example.org/auth/oidc/work/callback",
      "the provider Work, SCIM address": "https://d.example.org/scim/v2",
      Caddyfile: expect.stringContaining("d.example.org {"),
    });
    expect(Object.keys(texts)).toEqual(expect.arrayContaining(["prometheus.yml, under scrape_configs"]));
  });
});
