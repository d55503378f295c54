// What the published packages declare, one file for each entry: `npm run lint:api` compares, `npm run api` accepts what changed.
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { declarations, entriesOf, folders, root } from "./packages.ts";

/** Of a longer declaration a hash stands here: most are of what travels on the wire, which is in the OpenAPI document too. */
const MAX_LINES = 100;

const shown = (lines: readonly string[]): string =>
  lines.length <= MAX_LINES
    ? lines.join("\n")
    : `${lines[0]} … } // ${createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16)}`;

/** The names that an entry exports, then every declaration that they need, by name and without comments. */
async function reportOf(source: string): Promise<string> {
  const { output } = await declarations({ entry: source });
  const code = output.map((file) => (file.type === "chunk" ? file.code : "")).join("\n");
  const names = code.match(/^export \{ (.*) \};$/m)?.[1]?.split(", ") ?? [];
  const declared: string[][] = [];
  for (const line of code.replaceAll(/\/\*\*[\s\S]*?\*\/|^(\/\/|export \{).*$/gm, "").split("\n"))
    if (/^\w/.test(line)) declared.push([line]);
    else if (line.trim() !== "") declared.at(-1)?.push(line);
  return `${[...names.map((name) => `export ${name};`), "", ...declared.map(shown).sort()].join("\n")}\n`;
}

const accepts = process.argv.includes("--accept");
const made = new Map<string, string>();
for (const folder of folders)
  for (const { file, source } of entriesOf(folder).values())
    made.set(`packages/${folder}/api/${file}.txt`, await reportOf(source));
const kept = globSync("packages/*/api/*.txt", { cwd: root });
const changed = [...new Set([...kept, ...made.keys()])].filter((path) => {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, "utf8") !== made.get(path);
});
for (const path of changed) {
  const file = join(root, path);
  const text = made.get(path);
  if (!accepts) console.error(`${path} is not what the package declares`);
  else if (text === undefined) rmSync(file);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
if (changed.length > 0 && !accepts) {
  console.error("What people install changed: if it is meant, `npm run api` accepts it.");
  process.exitCode = 1;
}
