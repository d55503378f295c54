import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { said as runs } from "../packages/cli/src/terminal.kit.ts";
import { openPlatform } from "./demo.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";

const CSV = [
  "who,age,sex,born,paid,came",
  ...Array.from(
    { length: 200 },
    (_, row) =>
      `${row},${20 + (row % 50)},${row % 2 ? "f" : "m"},19${50 + (row % 50)}-03-01,${row}.50,2024-03-01T10:30:00Z`,
  ),
  "",
].join("\n");
const DECLARATION = JSON.stringify({
  name: "trial",
  source: { csv: "trial.csv" },
  privacyUnit: { column: "who" },
  contribution: { rows: 1 },
  columns: {
    who: { type: "integer", provenance: "public" },
    age: { type: "integer", lower: 18, upper: 90, provenance: "public" },
    sex: { type: "category", categories: ["f", "m"], provenance: "public" },
    born: { type: "date", lower: "1950-01-01", upper: "1999-12-31", granularity: "year", provenance: "public" },
    paid: { type: "decimal", scale: 2, lower: 0, upper: 500, provenance: "public" },
    came: { type: "timestamp", zone: "UTC", granularity: "hour", lower: "2024-03-01", upper: "2024-03-31" },
  },
});
const SQL = "SELECT sex, COUNT(*) AS n FROM trial GROUP BY sex ORDER BY sex DESC";

const folder = temporaryFolder();
let platform: Awaited<ReturnType<typeof openPlatform>>;
let ana: string;

/** What a command prints, and its exit code; `typed` is what a person at a terminal types. */
function said(token: string, args: readonly string[], { typed, piped = "" }: { typed?: string; piped?: string } = {}) {
  const env = { DOSIMETER_URL: platform.url, DOSIMETER_TOKEN: token, NO_COLOR: "1" };
  const isInteractive = typed !== undefined;
  return runs(args, { in: Readable.from([typed ?? piped]), isInteractive, columns: 100, env, cwd: folder });
}

beforeAll(async () => {
  await writeFile(join(folder, "trial.csv"), CSV);
  await writeFile(join(folder, "trial.json"), DECLARATION);
  platform = await openPlatform("Pia Berg");
  const setUp = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await said(platform.token, args);
    expect({ code, err }, args.join(" ")).toEqual({ code: 0, err: "" });
    return out.trim();
  };
  await setUp("person", "create", "Ana");
  await setUp("dataset", "add", "--declaration", "trial.json");
  await setUp("ledger", "open", "trial", "--epsilon", "5", "--delta", "1e-6");
  await setUp("account", "create", "trial", "--person", "Ana", "--epsilon", "2");
  ana = await setUp("token", "create", "all", "--person", "Ana", "--scope", "read,release");
});
afterAll(() => platform.close());

test("a query is quoted, paid once under its key, and printed as a table", async () => {
  const quoted = await said(ana, ["sql", SQL, "--epsilon", "0.5", "--quote"]);
  expect(quoted).toMatchObject({ code: 0, err: "" });
  expect(quoted.out).toMatch(/Cost {2}ε 0\.5/);
  const args = ["sql", SQL, "--epsilon", "0.5", "--key", "first"];
  const first = await said(ana, args);
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toMatch(/^sex\tn\nm\t\d+\nf\t\d+\n/);
  expect(await said(ana, args)).toEqual(first);
  expect((await said(ana, ["sql", "-", "--epsilon", "0.5", "--key", "first"], { piped: SQL })).out).toBe(first.out);
  const { out } = await said(ana, ["sql", SQL, "--epsilon", "0.5", "--key", "first", "--json"]);
  expect(JSON.parse(out)).toMatchObject({
    tables: [{ columns: ["sex", "n"] }],
    release: { stage: "done", epsilon: "0.5" },
  });
});

test("what is refused has a place, an exit code and no output", async () => {
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [["SELECT AVG(agee) FROM trial", "--epsilon", "1"], /line 1, column 12: no column is called "agee"/],
    [[SQL, "--epsilon", "lots"], /epsilon is "lots", must be/],
    [["SELECT COUNT(*) FROM elsewhere", "--epsilon", "1"], /dataset "elsewhere": not found, or not visible to you/],
    [[], /query is missing, must be "SELECT …", or - for standard input/],
  ];
  for (const [args, message] of refused) {
    const { code, out, err } = await said(ana, ["sql", ...args]);
    expect({ code: code > 0, out }).toEqual({ code: true, out: "" });
    expect(err).toMatch(message);
  }
});

test("at the prompt: commands, queries of several lines, mistakes, and ε that buys one query", async () => {
  const typed = [
    "\\d",
    "\\d trial",
    "\\budget trial",
    `\\cost ${SQL};`,
    `${SQL};`,
    "\\epsilon 0.25",
    "SELECT COUNT(*) AS people",
    "FROM trial;",
    "SELECT COUNT(*) FROM trial;",
    "\\epsilon",
    "nonsense;",
    "help",
    "\\budgt trial",
    "\\q",
    "SELECT 1;",
  ].join("\n");
  const { code, out, err } = await said(ana, ["sql"], { typed });
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toMatch(/trial.*open/);
  expect(out).toMatch(/age.*integer.*18 … 90/);
  expect(out).toMatch(/Ana\s+│ ε /);
  expect(out).toMatch(/people[\s\S]*receipt/);
  expect(out.match(/epsilon is missing, must be stated/g)).toHaveLength(3);
  expect(out).toMatch(/line 1, column 1: found "nonsense", expected SELECT/);
  expect(out.match(/A query ends with ;/g)).toHaveLength(2);
  expect(out).toMatch(/There is no \\budgt \(did you mean \\budget\?\)/);
  expect(out).not.toMatch(/SELECT 1;[\s\S]*SELECT 1;/);
});

test("a profile describes columns of every type", async () => {
  const { code, out, err } = await said(ana, ["profile", "trial", "--epsilon", "0.5", "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { answers } = JSON.parse(out) as { answers: { column: string | null }[] };
  expect(new Set(answers.map(({ column }) => column))).toEqual(new Set([null, "age", "sex", "born", "paid", "came"]));
});
