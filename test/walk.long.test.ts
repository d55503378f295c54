import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeAll, describe, expect, test } from "vitest";
import { said } from "../packages/cli/src/terminal.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const folder = temporaryFolder();
const data = join(folder, "data");

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One command line, as a shell would run it in a pipe. */
async function dosimeter(
  args: readonly string[],
  { token, input = "" }: { token?: string; input?: string } = {},
): Promise<Said> {
  const env = { DOSIMETER_DATA: data, ...(token === undefined ? {} : { DOSIMETER_TOKEN: token }) };
  return said(args, { in: Readable.from([input]), env, cwd: folder });
}

async function json(args: readonly string[], options?: { token?: string }) {
  const { code, out, err } = await dosimeter([...args, "--json"], options);
  expect(err, args.join(" ")).toBe("");
  expect([0, 3], args.join(" ")).toContain(code);
  return JSON.parse(out);
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

/** Exact decimals as integers of 10⁻¹². */
function units(decimal: string): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(12, "0"));
}

// Line ends of an old Macintosh, a loss, an income in scientific notation: real microdata contain these.
const rows = Array.from(
  { length: 400 },
  (_, i) =>
    `${i + 1},${18 + (i % 60)},${i % 3 === 0 ? "m" : "f"},${i % 50 === 0 ? -500 : i % 7 === 0 ? "1e+05" : 250 * (i % 160)}`,
);
const people = ["person,age,sex,income", ...rows].join("\r");

const declared = [
  "-d",
  JSON.stringify({
    privacyUnit: { column: "person" },
    contribution: { rows: 1 },
    size: { assumed: 400 },
    columns: {
      person: { type: "integer" },
      age: { type: "integer", lower: 18, upper: 90 },
      sex: { type: "category", categories: ["f", "m"] },
      income: { type: "number", lower: -1000, upper: 100_000, granularity: 10 },
    },
  }),
];

describe("the main job, by command line", () => {
  let token = "";
  const grace = {
    get token() {
      return token;
    },
  };

  beforeAll(async () => {
    file("people.csv", people);
    await json(["dataset", "add", "people.csv", ...declared]);
    expect((await dosimeter(["ledger", "open", "people", "--epsilon", "2", "--delta", "1e-6"])).code).toBe(0);
    await json(["person", "create", "Grace"]);
    await json(["team", "create", "Research"]);
    await json(["team", "add", "Research", "Grace"]);
    await json(["account", "create", "people", "--team", "Research", "--epsilon", "1"]);
    await json(["account", "create", "people", "--person", "Grace", "--parent", "Research", "--epsilon", "0.5"]);
    token = (await dosimeter(["token", "create", "laptop", "--person", "Grace"])).out.trim();
  });

  const plan = ["-s", "count epsilon=0.05", "-s", "mean income epsilon=0.1 by sex"];
  const left = async () => {
    const [account] = await json(["account"], grace);
    return units(account.balance.epsilon.left);
  };

  test("a quote says cost, error and what would be left, and takes nothing", async () => {
    const before = await left();
    const quote = await json(["plan", "quote", "people", ...plan], grace);
    expect(quote.admitted).toBe(true);
    expect(quote.cost.epsilon).toBe("0.15");
    expect(quote.statistics).toHaveLength(2);
    for (const { accuracy } of quote.statistics) expect(accuracy.halfWidth).toBeGreaterThan(0);
    expect(units(quote.path.at(-1).after.epsilon.left)).toBe(before - units("0.15"));
    expect(await left()).toBe(before);
  });

  test("a release costs exactly what was quoted, once for its key, and is read again for free", async () => {
    const before = await left();
    const first = await json(["release", "people", ...plan, "--key", "spring"], grace);
    expect(await left()).toBe(before - units("0.15"));
    const again = await json(["release", "people", ...plan, "--key", "spring"], grace);
    expect(again).toEqual(first);
    expect((await json(["release", "show", first.id], grace)).answers).toEqual(first.answers);
    expect(await left()).toBe(before - units("0.15"));
    const [count, income] = first.answers;
    // Noise of scale 20: off by 450 in one of 10⁹ runs.
    expect(Math.abs(count.cells[0].value - 400)).toBeLessThan(450);
    expect(income.cells.map((cell: { group: { sex: string } }) => cell.group.sex).sort()).toEqual(["f", "m"]);
    const other = await dosimeter(["release", "people", "-s", "count epsilon=0.01", "--key", "spring"], grace);
    expect(other).toMatchObject({ code: 5, err: expect.stringContaining("[IDEMPOTENCY_CONFLICT]") });
  });

  test("what does not fit is refused with its reason and the largest ε that does, which then does", async () => {
    const before = await left();
    const quote = await json(["plan", "quote", "people", "-s", "count epsilon=0.9"], grace);
    expect(quote).toMatchObject({ admitted: false, refusal: { code: "QUOTA_EXHAUSTED" } });
    const refused = await dosimeter(["release", "people", "-s", "count epsilon=0.9"], grace);
    expect(refused.code).toBe(3);
    expect(refused.err).toMatch(/^dosimeter: .*0\.35.*\[QUOTA_EXHAUSTED\]\n$/);
    expect(await left()).toBe(before);
    const { largestEpsilon } = quote.refusal;
    expect(units(largestEpsilon)).toBe(before);
    await json(["release", "people", "-s", `count epsilon=${largestEpsilon}`], grace);
    expect(await left()).toBe(0n);
    const nothing = await json(["plan", "quote", "people", "-s", "count epsilon=0.000000000001"], grace);
    expect(nothing.refusal.largestEpsilon).toBe("0");
  });

  test("the ledger has every charge, and adds up", async () => {
    const ledger = await json(["ledger", "people"]);
    const entries = await json(["ledger", "entries", "people"]);
    expect(entries.filter(({ kind }: { kind: string }) => kind === "charge")).toHaveLength(2);
    expect(ledger.balance.epsilon.spent).toBe("0.5");
    expect(await dosimeter(["verify"])).toMatchObject({ code: 0, out: expect.stringMatching(/^ok: /) });
  });

  test("quotas move between parent and child, never out of nothing", async () => {
    const over = await dosimeter(["account", "allocate", "people", "Research/Grace", "--epsilon", "0.500000000001"]);
    expect(over).toMatchObject({ code: 3, err: expect.stringContaining("[QUOTA_UNAVAILABLE]") });
    await json(["account", "allocate", "people", "Research/Grace", "--epsilon", "0.5"]);
    const spent = await dosimeter(["account", "withdraw", "people", "Research/Grace", "--epsilon", "0.6"]);
    expect(spent).toMatchObject({ code: 3, err: expect.stringContaining("[QUOTA_UNAVAILABLE]") });
    await json(["account", "withdraw", "people", "Research/Grace", "--epsilon", "0.5"]);
    const accounts = await json(["account", "list", "people"]);
    expect(
      accounts.map(({ path, quota }: { path: string[]; quota: { epsilon: string } }) => [
        path.join("/"),
        quota.epsilon,
      ]),
    ).toEqual([
      ["Research", "1"],
      ["Research/Grace", "0.5"],
    ]);
  });

  test.each([
    [["release", "people", "-s", "count epsilon=0"], 2, "INVALID_PARAMETER"],
    [["release", "people", "-s", "count epsilon=-1"], 2, "INVALID_PARAMETER"],
    [["release", "people", "-s", "count epsilon=NaN"], 2, "INVALID_PARAMETER"],
    [["release", "people", "-s", "count epsilon=1e-400"], 2, "INVALID_PARAMETER"],
    [["release", "people", "-s", "count"], 2, "INVALID_PARAMETER"],
    [["release", "people"], 2, "EMPTY_PLAN"],
    [["release", "people", "-s", "mean height epsilon=0.1"], 2, "UNKNOWN_COLUMN"],
    [["release", "people", "-s", "mean person epsilon=0.1"], 2, "UNSUPPORTED_QUERY"],
    [["release", "people", "-s", "mean income 5..5 epsilon=0.1"], 2, "INVALID_PARAMETER"],
    [["release", "people", "-s", "mean income 9..5 epsilon=0.1"], 2, "INVALID_PARAMETER"],
    [["release", "people", "-s", "count epsilon=0.1 where person = 7"], 2, "UNSUPPORTED_QUERY"],
    [["release", "people", "-s", "count epsilon=0.1 where age >"], 2, "INVALID_PARAMETER"],
    [["release", "people", "-s", "wisdom epsilon=0.1"], 2, "INVALID_PARAMETER"],
    [["release", "nobody", "-s", "count epsilon=0.1"], 4, "NOT_FOUND"],
    [["release", "people", "-a", "Research/Nobody", "-s", "count epsilon=0.1"], 4, "NOT_FOUND"],
    [["release", "show", "nothing"], 4, "NOT_FOUND"],
    [["account", "create", "people", "--team", "Research", "--epsilon", "0.1"], 4, "FORBIDDEN"],
    [["ledger", "open", "people", "--epsilon", "1", "--delta", "1e-6"], 4, "FORBIDDEN"],
  ])("%j ends with %d, one line and its code, and nothing is charged", async (args, code, name) => {
    const before = await json(["ledger", "people"]);
    const said = await dosimeter(args, grace);
    expect(said).toMatchObject({ code, out: "" });
    expect(said.err).toMatch(new RegExp(`^dosimeter: [^\\n]+ \\[${name}\\]\\n$`));
    expect(said.err).not.toMatch(/\bat .*:\d+/);
    expect((await json(["ledger", "people"])).head).toEqual(before.head);
  });

  test("a wrong token is no one, with the same answer as an expired one", async () => {
    const said = await dosimeter(["dataset", "list"], { token: "dos_wrong" });
    expect(said).toMatchObject({ code: 4, err: expect.stringContaining("[UNAUTHENTICATED]") });
  });
});

describe("what cannot be declared", () => {
  const declared = (columns: object, more: object = { privacyUnit: "row" }) => [
    "-d",
    JSON.stringify({ ...more, columns }),
  ];
  const age = (lower: unknown, upper: unknown) => ({ age: { type: "integer", lower, upper } });
  const one = (lower: unknown, upper?: unknown) => declared(age(lower, upper));
  const twice = [0, 1].map(() => ({ name: "age", ...age(0, 99).age }));
  test.each([
    ["bounds the wrong way round", "age,sex\n30,f\n", one(90, 18), 2],
    ["equal bounds", "age,sex\n30,f\n", one(18, 18), 2],
    ["a bound that is no number", "age,sex\n30,f\n", one("1.2.3", 18), 2],
    ["one bound", "age,sex\n30,f\n", one(18), 2],
    ["a column that comes twice", "age,sex\n30,f\n", declared(twice), 2],
    ["a column that the file lacks", "age,sex\n30,f\n", declared({ height: age(0, 250).age }), 1],
    ["a header with one name twice", "age,age\n30,31\n", one(0, 99), 1],
    ["a number column with a word in it", "age,sex\n30,f\nold,m\n", one(0, 99), 1],
    ["an empty file", "", one(0, 99), 1],
    [
      "a file in another encoding",
      Uint8Array.from([0x61, 0x67, 0x65, 0x0a, 0xe9, 0x0a]),
      declared({ age: { type: "text" } }),
      1,
    ],
    ["no columns", "age,sex\n30,f\n", ["-d", "{privacyUnit: row}"], 2],
    [
      "a unit that is no column",
      "age,sex\n30,f\n",
      declared(age(0, 99), { privacyUnit: { column: "person" }, contribution: { rows: 1 } }),
      2,
    ],
    [
      "no bound on what one person contributes",
      "p,age\n1,30\n",
      declared({ p: { type: "integer" }, ...age(0, 9) }, { privacyUnit: { column: "p" } }),
      2,
    ],
  ] as const)("%s is refused with one line that says why", async (name, content, flags, code) => {
    mkdirSync(join(folder, "bad"), { recursive: true });
    const path = file(`bad/${name.replaceAll(" ", "-")}.csv`, content);
    const said = await dosimeter(["dataset", "add", path, ...flags]);
    expect(said).toMatchObject({ code, out: "" });
    expect(said.err).toMatch(/^dosimeter: [^\n]+ \[[A-Z_]+\]\n$/);
    expect(said.err).not.toMatch(/\bat .*:\d+/);
  });

  test("a refused file's values are in no message", async () => {
    const path = file("secret.csv", "age\n30\nthe-secret-of-row-3\n");
    const { err, out } = await dosimeter(["dataset", "add", path, ...one(0, 99)]);
    expect(err + out).not.toContain("secret-of");
  });
});

test.each([
  ["δ of one", "1", "1"],
  ["ε of zero", "0", "0"],
])("a ledger with %s is refused", async (_, epsilon, delta) => {
  file("plain.csv", `age\n3${epsilon}\n`);
  const name = `plain ${epsilon}`;
  const columns = "columns: {age: {type: integer, lower: 0, upper: 99}}";
  expect(
    (await dosimeter(["dataset", "add", "plain.csv", "-n", name, "-d", `{privacyUnit: row, ${columns}}`])).err,
  ).toBe("");
  const said = await dosimeter(["ledger", "open", name, "--epsilon", epsilon, "--delta", delta]);
  expect(said).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/^dosimeter: [^\n]+ \[[A-Z_]+\]\n$/) });
});

test("a YAML declaration whose key comes twice is refused", async () => {
  file("twice.csv", "age\n30\n");
  const path = file(
    "twice.yaml",
    "name: twice\nsource: {csv: twice.csv}\nprivacyUnit: row\ncolumns:\n  age: {type: text}\n  age: {type: boolean}\n",
  );
  const said = await dosimeter(["dataset", "add", "-d", path]);
  expect(said).toMatchObject({
    code: 2,
    err: expect.stringMatching(/twice\.yaml is not YAML: .*unique.*\[INVALID_PARAMETER\]/),
  });
});

test("calc is the same from here as from the table", async () => {
  const said = await dosimeter(["calc"], {
    input: '{"id":1,"fn":"accuracy","statistic":"count","epsilon":1}\n{"id":2,"fn":"accuracy"}',
  });
  const lines = said.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    { id: 1, value: 3 },
    { id: 2, error: { code: "INVALID_PARAMETER", message: expect.stringContaining("statistic is missing") } },
  ]);
});
