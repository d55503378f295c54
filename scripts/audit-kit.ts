// `npm run audit-kit -- <folder>`: what an auditor needs to refute this commit, in one folder: every claim with its proof, the code that cites it
// and the tests that could refute it, the attacks, the exact adversaries and what the tests gave. `--run` runs the quick tests of the claims first,
// `--results <file>` takes the results of a run (`vitest --reporter=json`). The same commit and results give the same bytes.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Claim, readClaims, root } from "./claims.ts";

type Outcome = { readonly passed: number; readonly failed: number };
type Results = ReadonlyMap<string, Outcome>;

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const links = (files: readonly string[]): string => files.map((file) => `\`${file}\``).join(", ") || "–";

/** The test files that run a test or a kit of a claim. */
function runnable(claims: readonly Claim[]): { readonly quick: readonly string[]; readonly long: readonly string[] } {
  const named = new Set(claims.flatMap(({ tests }) => tests));
  const tests = globSync(["{packages,apps}/*/src/**/*.test.{ts,tsx}", "test/**/*.test.ts"], { cwd: root }).map(
    (file) => ({ file, text: read(file) }),
  );
  const kits = [...named].filter((file) => file.endsWith(".kit.ts")).map((file) => `/${basename(file)}"`);
  const all = tests
    .filter(({ file, text }) => named.has(file) || kits.some((kit) => text.includes(kit)))
    .map(({ file }) => file)
    .toSorted();
  const isLong = (file: string) => file.endsWith(".long.test.ts");
  return { quick: all.filter((file) => !isLong(file)), long: all.filter(isLong) };
}

function resultsOf(file: string): Results {
  const { testResults } = JSON.parse(readFileSync(file, "utf8")) as {
    readonly testResults: readonly { name: string; status: string; assertionResults: readonly { status: string }[] }[];
  };
  return new Map(
    testResults.map(({ name, status, assertionResults }) => {
      const count = (wanted: string) => assertionResults.filter((one) => one.status === wanted).length;
      // One that could not even be loaded has no tests.
      const failed = Math.max(count("failed"), status === "failed" ? 1 : 0);
      return [relative(root, name), { passed: count("passed"), failed }] as const;
    }),
  );
}

const claimText = ({ number, title, chapter, text, code, tests }: Claim): string =>
  [
    `## ${number} · ${title}\n\n${text}\n`,
    `* Chapter: \`${chapter}\`\n* Code that relies on it: ${links(code)}`,
    `* Tests that could refute it: ${links(tests)}\n`,
  ].join("\n");

/** The part of a document below a heading, up to the next one of its rank. */
function part(document: string, heading: string): string {
  const rank = heading.split(" ")[0] ?? "";
  const from = document.indexOf(`\n${heading}\n`);
  if (from < 0) throw new Error(`no heading ${heading}`);
  const to = document.indexOf(`\n${rank} `, from + heading.length);
  return document.slice(from, to < 0 ? undefined : to).trim();
}

function resultText(files: readonly string[], results: Results): string {
  const rows = files.map((file) => {
    const found = results.get(file);
    return `| \`${file}\` | ${found === undefined ? "not run" : `${found.passed} passed, ${found.failed} failed`} |`;
  });
  return `| file | tests |\n|---|---|\n${rows.join("\n")}\n`;
}

const readme = (commit: string, claims: readonly Claim[], { quick, long }: ReturnType<typeof runnable>): string => `\
# An auditor's kit for Dosimeter, commit ${commit}

Everything here was made from the sources of that commit, and \`npm run audit-kit\` makes it again, byte by byte. Believe none of it: each line
says where to look, and what would refute it.

| file | holds |
|---|---|
| \`claims.md\` | ${claims.length} numbered claims: what holds, under which assumptions, the proof, the code that cites it, the tests that could refute it |
| \`claims.json\` | the same for programs |
| \`adversaries.md\` | who attacks, how exactly, and the file that does it |
| \`attacks.md\` | every attack that we know with its defence, and the gaps that stay open |
| \`results.md\` | what the tests of the claims gave for this commit |
| \`rerun.sh\` | runs them: ${quick.length} quick files in some ten minutes, then ${long.length} slow ones |

## In an hour

1. On a Debian machine with Node 24 and the network: check out the commit, \`npm ci\`, then \`sh rerun.sh quick\` from the repository.
2. Take three claims of your choice from \`claims.md\`. Read the proof, then the code; change the code so that the claim is false (a sensitivity
   by one, a rounding to the other side); run its tests. They must fail. Where none does, you have found something.
3. \`npx vitest run --config vitest.long.config.ts test/protocol/protocol.long.test.ts\` visits every order of charging, measuring, crashing,
   restoring and writing off of a small model, and finds what breaks when a rule is left out. Compare its rules with the code that it names.
4. Take an export of a ledger and \`npx dosimeter verify <file>\`: that program shares no code with the ledger. Change one byte and try again.
5. \`npx dosimeter audit\` on your own machine draws the noise and attacks it.

What no test shows is in \`adversaries.md\`. Report what you find as \`SECURITY.md\` says.
`;

const rerun = ({ quick, long }: ReturnType<typeof runnable>): string => `\
#!/bin/sh
# From the repository, after npm ci: sh rerun.sh quick | slow
set -eu
case "\${1:-}" in
quick) exec npx vitest run \\
  ${quick.join(" \\\n  ")} ;;
slow) npm run build && exec npx vitest run --config vitest.long.config.ts \\
  ${long.join(" \\\n  ")} ;;
*) echo "sh rerun.sh quick | slow" >&2; exit 2 ;;
esac
`;

export function writeKit(
  folder: string,
  { commit, results }: { readonly commit: string; readonly results: Results },
): void {
  const claims = readClaims();
  const files = runnable(claims);
  const tested = read("docs/trust/how-it-is-tested.md");
  const attacks = read("docs/threat-model.md")
    .replaceAll(/\]\((?!http)[^)]*\)/g, "]")
    .replaceAll(/\[([^\]]*)\]/g, "$1");
  const all = [...files.quick, ...files.long];
  const ran = all.filter((file) => results.has(file));
  const failed = ran.filter((file) => (results.get(file)?.failed ?? 0) > 0);
  const summary = `${ran.length} of ${all.length} files were run, ${failed.length} of them with failures.`;
  const written = {
    "README.md": readme(commit, claims, files),
    "claims.md": `# Claims\n\n${claims.map(claimText).join("\n")}`,
    "claims.json": `${JSON.stringify(claims, null, 1)}\n`,
    "adversaries.md": tested.replaceAll(/\]\((?!http)[^)]*\)/g, "]").replaceAll(/\[([^\]]*)\]/g, "$1"),
    "attacks.md": `${part(attacks, "### Attacks, one by one")}\n\n${part(attacks, "## Known gaps")}\n`,
    "results.md": `# Results of ${commit}\n\n${summary}\n\n${resultText(all, results)}`,
    "rerun.sh": rerun(files),
  };
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(written)) writeFileSync(join(folder, name), text);
}

function currentCommit(): string {
  const git = (...given: readonly string[]) => execFileSync("git", given, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no");
  return `${git("rev-parse", "HEAD")}${changed === "" ? "" : ", with changes that are not committed"}`;
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { results: { type: "string" }, run: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const folder = resolve(positionals[0] ?? "audit-kit");
  const commit = currentCommit();
  mkdirSync(folder, { recursive: true });
  const ran = values.run ? join(folder, "vitest.json") : values.results;
  if (values.run) {
    const { quick } = runnable(readClaims());
    const output = ["--reporter=json", `--outputFile=${ran}`];
    spawnSync(process.execPath, ["scripts/run.cjs", "vitest", "run", ...output, ...quick], {
      cwd: root,
      stdio: "inherit",
    });
  }
  writeKit(folder, { commit, results: ran === undefined ? new Map() : resultsOf(ran) });
  process.stdout.write(`The kit is in ${folder}\n`);
}
