import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorCodes } from "@dosimeter/core";
import { plainPlan } from "@dosimeter/query/plan";
import { loadModule, parseSync } from "libpg-query";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseWanted } from "../packages/cli/src/apply/wanted.ts";
import { type Line, linesOf } from "../packages/cli/src/completion/tree.ts";
import { wholeProgram } from "../packages/cli/src/program.ts";
import { plan } from "../packages/client/src/releases/plan.ts";
import { readProviders } from "../packages/server/src/instance/providers.ts";
import { door } from "../packages/server/src/mcp/door.ts";
import { readConnectionHosts } from "../packages/server/src/sources/connection-hosts.ts";
import { readSources } from "../packages/server/src/sources/connections.ts";
import { blocksOf, documents, root, text } from "./docs.kit.ts";

const inline = (json: unknown) => ({ inline: json, folder: root });
/** A file of a secret is not there: what is read is everything else. */
const withoutFiles = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json), (key, value) => (/File$/.test(key) ? undefined : value));

/** Where each host needs a secret, it is as if a variable held it. */
const withVariables = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json).replaceAll(/"(password|token)File"/g, '"$1Env"'));

/** What each `json` block is read as; those of pages that are not here are read by the tests next to the code. */
const jsonBlocks: Readonly<Record<string, readonly ((json: never) => unknown)[]>> = {
  "docs/agents.md": [
    ({ mcpServers }: { mcpServers: { dosimeter: { url: string; headers: object } } }) => {
      expect(new URL(mcpServers.dosimeter.url).pathname).toBe("/mcp");
      expect(Object.keys(mcpServers.dosimeter.headers)).toEqual(["Authorization"]);
    },
    ({ mcpServers }: { mcpServers: { dosimeter: { args: string[]; env: object } } }) => {
      expect(mcpServers.dosimeter.args).toEqual(["dosimeter", "mcp"]);
      for (const name of Object.keys(mcpServers.dosimeter.env)) expect(text("docs/guide.md")).toContain(`\`${name}\``);
    },
    ({ code, next }: { code: string; next: { tool: string; arguments: { plan: unknown } } }) => {
      expect(errorCodes).toHaveProperty(code);
      expect(door).toHaveProperty(next.tool);
      plan.parse(next.arguments.plan);
    },
  ],
  "docs/joins.md": [(json) => plan.parse(json)],
  "docs/operations.md": [
    (json) => readProviders(inline(withoutFiles(json))),
    (json) => readSources(inline(withoutFiles(json)), {}),
    (json) =>
      readConnectionHosts(inline(withoutFiles(withVariables(json))), { "reader.password": "x", "lake.token": "x" }),
    (json) => readSources(inline(withoutFiles(json)), {}),
  ],
  "docs/planning.md": [(json) => plan.parse(plainPlan(json))],
  "docs/statistics.md": [(json) => plan.parse(json)],
  "docs/synthetic-tables.md": [(json) => plan.parse(json)],
};

test.each(Object.entries(jsonBlocks))("the JSON of %s is what the program reads", async (document, readers) => {
  const blocks = blocksOf(document).filter(({ language }) => language === "json");
  expect(blocks).toHaveLength(readers.length);
  for (const [at, read] of readers.entries()) await read(JSON.parse(blocks[at]?.code ?? "") as never);
});

test("the SQL that makes a reader of PostgreSQL, and the file of an organisation, are read", async () => {
  await loadModule();
  const [sql] = blocksOf("docs/operations.md").filter(({ language }) => language === "sql");
  expect(parseSync(sql?.code ?? "").stmts).toHaveLength(3);
  const [organisation] = blocksOf("docs/operations.md").filter(({ info }) => info === "organisation.yaml");
  expect(parseWanted(parse(organisation?.code ?? "")).people).toHaveLength(3);
});

/** The command lines of a block, without what only a shell reads. */
const commandLines = (code: string): readonly string[] =>
  code
    .replaceAll("\\\n", " ")
    .split("\n")
    .map((line) => line.replace(/^\$ /, "").replace(/^npx /, ""))
    .filter((line) => /^dosimeter [a-z]/.test(line))
    .map((line) => line.replace(/\s+[#>|].*$/, "").replaceAll(/"[^"]*"|'[^']*'/g, "…"));

/** The longest command that the words begin with, and those of their options that it does not have. */
function unknownIn(line: string, known: readonly Line[]): readonly string[] {
  const [, ...words] = line.split(/\s+/);
  const command = known
    .filter((one) => one.line !== "" && `${words.join(" ")} `.startsWith(`${one.line} `))
    .toSorted((a, b) => b.line.length - a.line.length)[0];
  if (command === undefined) return [line];
  // Of `release`, `account` and others, one subcommand stands without its name.
  const usual = known.filter((one) => /^(make|list|show|tell)$/.test(one.line.replace(`${command.line} `, "")));
  const taken = new Set([command, ...usual].flatMap((one) => one.words));
  return words.filter((word) => /^--?[a-z]/.test(word) && !taken.has(word)).map((word) => `${line}: ${word}`);
}

test("commands that are shown and not run have names and options that are there", async () => {
  const program = await wholeProgram();
  const known = linesOf(program);
  const lines = documents
    .flatMap(blocksOf)
    .filter(({ language, info }) => language === "text" || info.startsWith("by="))
    .flatMap(({ code }) => commandLines(code));
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.flatMap((line) => unknownIn(line, known))).toEqual([]);
});

test("commands inside a sentence have names and options that are there", async () => {
  const known = linesOf(await wholeProgram());
  const lines = documents
    .flatMap((document) => [
      ...text(document)
        .replaceAll(/^```[\s\S]*?^```$/gm, "")
        .matchAll(/`(?:npx )?(dosimeter [a-z][^`\n]*)`/g),
    ])
    .flatMap(([, line = ""]) => commandLines(line));
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.flatMap((line) => unknownIn(line, known))).toEqual([]);
});

test("a block that its page's test does not run names the tests that run it", () => {
  const named = documents.flatMap(blocksOf).filter(({ info }) => info.startsWith("by="));
  expect(named.length).toBeGreaterThan(8);
  for (const { info, code } of named)
    for (const file of info.slice("by=".length).split(",")) {
      expect(file).toMatch(/\.test\.ts$|^\.ci\/run$/);
      expect(existsSync(join(root, file)), file).toBe(true);
      const [, command] = /dosimeter (\w+)/.exec(code) ?? [];
      if (command !== undefined && file !== ".ci/run") expect(text(file), code).toContain(command);
    }
});
