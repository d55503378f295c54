// Prints how large the tree is, of a revision or of what is checked out: `npm run size`, `npm run size -- main~50`.
import { execFileSync } from "node:child_process";

const CODE = /^(packages|apps|clients|scripts|test)\/.+\.(ts|tsx|cjs|mjs|py|R|css|astro)$/;
const TEST = /\.(test|kit|setup|bench)\.|(^|\/)(tests?|golden|__snapshots__)\//;

const revision = process.argv[2] ?? "HEAD";
const git = (...words: readonly string[]) => execFileSync("git", words, { maxBuffer: 2 ** 30 });

interface Size {
  readonly lines: number;
  readonly words: number;
}

/** Of each file of the revision, by `git cat-file`, in one process. */
function sizes(): ReadonlyMap<string, Size> {
  const names = git("ls-tree", "-r", "-z", "--name-only", revision).toString().split("\0").filter(Boolean);
  const input = names.map((name) => `${revision}:${name}\n`).join("");
  const all = execFileSync("git", ["cat-file", "--batch"], { input, maxBuffer: 2 ** 30 });
  const sizeOf = new Map<string, Size>();
  let at = 0;
  for (const name of names) {
    const end = all.indexOf(10, at);
    const length = Number(all.toString("latin1", at, end).split(" ")[2]);
    const text = all.toString("utf8", end + 1, end + 1 + length);
    sizeOf.set(name, { lines: text.split("\n").length - 1, words: text.split(/\s+/).filter(Boolean).length });
    at = end + 1 + length + 1;
  }
  return sizeOf;
}

const files = [...sizes()];
const total = (part: "lines" | "words", is: (name: string) => boolean) =>
  files.filter(([name]) => is(name)).reduce((sum, [, size]) => sum + size[part], 0);
const isTest = (name: string) => CODE.test(name) && TEST.test(name);
const isSource = (name: string) => CODE.test(name) && !TEST.test(name);

const rooms = [...new Set(files.flatMap(([name]) => /^(packages|apps|clients)\/[^/]+/.exec(name)?.[0] ?? []))];
const rows = [
  ["source lines", total("lines", isSource)],
  ...rooms.map((room) => [`  ${room}`, total("lines", (name) => name.startsWith(`${room}/`) && isSource(name))]),
  ["lines of tests and kits", total("lines", isTest)],
  ["files", files.length],
  ["words of Markdown", total("words", (name) => name.endsWith(".md"))],
] as const;
for (const [what = "", count = 0] of rows)
  console.log(`${String(what).padEnd(28)}${Number(count).toLocaleString("en").padStart(10)}`);
