import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const cwd = temporaryFolder();

const env: Record<string, string> = {};
const dosimeter = (...args: readonly string[]) => said(args, { cwd });
const grace = (...args: readonly string[]) => said(args, { cwd, env });
const stating = (key: string, event = "pure epsilon=0.1") => [
  "charge",
  "staff",
  "--event",
  event,
  "--key",
  key,
  "--purpose",
  "a model",
];
const program = (code: string) => [
  "--",
  process.execPath,
  "-e",
  `require("node:fs").writeFileSync("ran", process.env.DOSIMETER_PERMIT); process.exit(${code})`,
];

beforeAll(async () => {
  writeFileSync(
    join(cwd, "staff.csv"),
    `person,age\n${Array.from({ length: 50 }, (_, i) => `${i},${20 + i}`).join("\n")}\n`,
  );
  writeFileSync(
    join(cwd, "org.yaml"),
    `people: [{ name: Dana, email: dana@example.org, platformAdmin: true }, { name: Grace, email: grace@example.org }]
datasets:
  - name: staff
    declaration:
      source: { csv: staff.csv }
      privacyUnit: row
      columns: { person: { type: integer }, age: { type: integer, lower: 0, upper: 120 } }
    admins: [Dana]
    ledger: { epsilon: 2, delta: 1e-6 }
    quotas: [{ person: Grace, epsilon: 1 }]
`,
  );
  expect(await dosimeter("apply", "-f", "org.yaml")).toMatchObject({ code: 0 });
  const made = await dosimeter("token", "create", "test", "--person", "Grace", "--json");
  env.DOSIMETER_TOKEN = JSON.parse(made.out).secret;
});

test("a program runs once it is charged, with its permit; its exit code is passed on, and it is not run twice for one charge", async () => {
  expect(await grace(...stating("early"), ...program("0"))).toMatchObject({ code: 4 });
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  expect((await dosimeter("account", "declaring", "staff", "Grace", "--most-epsilon", "0.5")).code).toBe(0);
  const quoted = await grace("charge", "staff", "--event", "pure epsilon=0.1", "--quote", "--json");
  expect(JSON.parse(quoted.out)).toMatchObject({ fits: true, epsilon: "0.1" });
  const { code, err } = await grace(...stating("train-7"), ...program("7"));
  expect({ code, err }).toEqual({ code: 7, err: expect.stringMatching(/^charged ε 0\.1.*line \d+: chg_/) });
  const permit = readFileSync(join(cwd, "ran"), "utf8");
  rmSync(join(cwd, "ran"));
  writeFileSync(join(cwd, "permit.json"), permit);
  expect(await dosimeter("verify", "permit", "permit.json", "--key", "train-7")).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^ok: train-7/),
  });
  expect(await dosimeter("verify", "permit", "permit.json", "--key", "other")).toMatchObject({ code: 1 });
  writeFileSync(join(cwd, "altered.json"), permit.replace("a model", "a mOdel"));
  expect((await dosimeter("verify", "permit", "altered.json")).out).toContain("does not fit the text");
  expect(await grace(...stating("train-7"), ...program("0"))).toMatchObject({ code: 5 });
  expect(await grace(...stating("large", "pure epsilon=0.6"), ...program("0"))).toMatchObject({ code: 3 });
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  expect(await grace(...stating("mistyped"), "--", "no-such-program")).toMatchObject({
    code: 2,
    err: expect.stringContaining("nothing was charged"),
  });
  expect((await grace("charge", "list", "staff")).out).not.toContain("mistyped");
});

test("a program that was killed between its charge and its run is run under the same key", async () => {
  expect((await grace(...stating("killed"), "--gateway", ...program("0"))).code).toBe(0);
  expect((await grace(...stating("killed"), ...program("0"))).code).toBe(0);
  expect((await grace(...stating("killed"), ...program("0"))).code).toBe(5);
});

test("without a program the permit is said; the charge is listed, shown, and given evidence", async () => {
  const { out } = await grace(
    ...stating("alone", "gaussian noiseMultiplier=50 rate=0.01 steps=10"),
    "--delta",
    "1e-9",
    "--json",
  );
  const { charge, permit } = JSON.parse(out);
  expect(charge).toMatchObject({
    events: [{ kind: "repeated", count: 10, event: { kind: "poissonSampled", rate: "0.01" } }],
  });
  expect((await grace("charge", "permit", charge.id)).out.trim()).toBe(permit);
  expect((await grace("charge", "list", "staff")).out).toContain("alone");
  expect((await grace("charge", "evidence", charge.id, "--commit", "abc")).out).toContain("abc");
});

test("what was published before is counted from a file", async () => {
  writeFileSync(
    join(cwd, "spends.csv"),
    "key,on,where,epsilon,delta\n2019,2019-05-01,a report,0.2,\n2020,2020-05-01,a paper,0.1,1e-9\n",
  );
  expect(JSON.parse((await dosimeter("charge", "import", "staff", "spends.csv", "--json")).out)).toMatchObject({
    imported: 2,
    over: null,
  });
  expect((await dosimeter("charge", "import", "staff", "spends.csv")).out).toMatch(/known before\s+2/);
  expect((await dosimeter("ledger", "show", "staff")).out).toMatch(/programs outside did what they declared/);
});

test.each(["pure", "pure epsilon", "pure epsilon=1 epsilon=2", "none epsilon=1", "gaussian noiseMultiplier=0", "[{]"])(
  "%s is no event",
  async (event) => {
    expect(await grace(...stating("bad", event))).toMatchObject({ code: 2 });
  },
);
