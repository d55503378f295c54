import { globSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import { entriesOf, folders, manifestOf, root } from "../scripts/packages.ts";
import { makeFiles } from "../scripts/release-files.ts";
import { named, whyNot } from "./clients.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { compile, install, output, type Packed, packAll, runIn, started, stopped } from "./packages.kit.ts";

// What people install, tried where they do: in a folder that never saw this repository.

const folder = temporaryFolder();
const consumer = join(folder, "consumer");
/** Without the command, and without the types of Node. */
const bare = join(folder, "bare");
const node = process.execPath;
const manifests = folders.map(manifestOf);
const names = manifests.map(({ name }) => name);
const entries = folders.flatMap((name) =>
  [...entriesOf(name).keys()].map((path) => manifestOf(name).name + path.slice(1)),
);
const libraries = entries.filter((entry) => entry !== "dosimeter/server");
const types = { "@types/node": versionOf("@types/node") };

let packed: ReadonlyMap<string, Packed>;
const packedAs = (name: string): Packed => packed.get(name) as Packed;

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
}

beforeAll(async () => {
  packed = await packAll(join(folder, "packed"));
  const files = Object.fromEntries([...packed].map(([name, { tarball }]) => [name, `file:${tarball}`]));
  const { dosimeter: _, ...others } = files;
  await install(consumer, { ...files, ...types });
  await install(bare, others);
});

test("three packages are published, and nothing from a workspace", () => {
  expect([...packed.keys()].toSorted()).toEqual(["@dosimeter/client", "@dosimeter/core", "dosimeter"]);
  for (const file of globSync("{packages,apps}/*/package.json", { cwd: root }))
    expect(JSON.parse(readFileSync(join(root, file), "utf8")).private, file).toBe(true);
});

describe.each(names)("the tarball of %s", (name) => {
  test("holds its documents, and no sources, tests, tools or build records", () => {
    const { files } = packedAs(name);
    for (const paper of ["README.md", "LICENSE", "CHANGELOG.md"]) expect(files).toContain(paper);
    for (const file of files) expect(file).not.toMatch(/\.tsbuildinfo$|\.(test|kit|bench)\.|golden|snap|tsconfig|^src/);
  });

  test("is published as publint wants it", async () => {
    const { messages, pkg } = await publint({
      pkgDir: join(consumer, "node_modules", name),
      level: "warning",
      strict: true,
      pack: false,
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("has types that every way of resolving modules finds", async () => {
    const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(packedAs(name).tarball)));
    const analysis = await checkPackage(tarball);
    // These are ES modules only, for Node 22: it loads them by `require` too, and "node10" knows no exports.
    const wanted = (problem: { kind: string; resolutionKind?: string }): boolean =>
      problem.kind !== "CJSResolvesToESM" && problem.resolutionKind !== "node10";
    expect(analysis.types === false ? "no types" : analysis.problems.filter(wanted)).toEqual([]);
  });
});

/** A module that imports all of these. */
function importing(modules: readonly string[]): string {
  const imports = modules.map((entry, index) => `import * as all${index} from ${JSON.stringify(entry)};`);
  return `${imports.join("\n")}\nconsole.log([${modules.map((_, index) => `all${index}`)}].length);\n`;
}

const readmes = globSync("packages/*/README.md", { cwd: root });

/** The examples of a README, each as a file in `consumer`. */
function examples(readme: string): readonly string[] {
  const text = readFileSync(join(root, readme), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = ""], index) => {
    const file = `${readme.replace(/\W/g, "-")}-${index}.ts`;
    writeFileSync(join(consumer, file), block);
    return file;
  });
}

test.each([{ module: "NodeNext" }, { module: "ESNext", moduleResolution: "Bundler" }])(
  "every entry and every example compiles with its libraries checked: $module",
  async (resolution) => {
    writeFileSync(join(consumer, "entries.ts"), importing(entries));
    const files = ["entries.ts", ...readmes.flatMap(examples)];
    expect(await compile(consumer, files, { ...resolution, types: ["node"] })).toBe("");
  },
);

test.each(readmes)("the examples in %s run", async (readme) => {
  for (const file of examples(readme)) expect(await output(consumer, [node, file])).not.toBe("");
});

test("every entry loads, and prints nothing", async () => {
  writeFileSync(join(consumer, "entries.mjs"), importing(entries));
  expect(await runIn(consumer, [node, "entries.mjs"])).toEqual({ code: 0, out: `${entries.length}\n`, err: "" });
});

test("the libraries without the command need no types of Node", async () => {
  const own = libraries.filter((entry) => entry.startsWith("@"));
  writeFileSync(join(bare, "libraries.ts"), importing(own));
  const lib = ["ES2024", "DOM", "DOM.Iterable"];
  expect(await compile(bare, ["libraries.ts"], { module: "NodeNext", lib, types: [] })).toBe("");
  expect(await output(bare, [node, "libraries.ts"])).toBe(`${own.length}\n`);
});

test("the libraries run in a browser: they import no module of Node, and no library but Zod", async () => {
  const exported = libraries.map((entry, index) => `export * as all${index} from ${JSON.stringify(entry)};`);
  writeFileSync(join(consumer, "libraries.mjs"), exported.join("\n"));
  const isFound = (id: string): boolean => /^[./]/.test(id) || libraries.includes(id);
  const build = await rolldown({ input: join(consumer, "libraries.mjs"), external: (id) => !isFound(id) });
  const { output: files } = await build.generate();
  await build.close();
  expect(files.flatMap((file) => (file.type === "chunk" ? file.imports : []))).toEqual(["zod"]);
});

test("a stack names the source, which its map holds", async () => {
  writeFileSync(
    join(consumer, "stack.mjs"),
    `import { parseEvent } from "@dosimeter/core";
     try { parseEvent(1); } catch (error) { console.log(error.stack); }`,
  );
  const stack = await output(consumer, [node, "--enable-source-maps", "stack.mjs"]);
  expect(stack).toMatch(/packages\/core\/src\/[\w/-]+\.ts:\d+/);
});

const command = ["npx", "--no-install", "dosimeter"] as const;

test("`npx dosimeter calc` answers", async () => {
  expect(await output(consumer, [...command, "calc", "--list"])).toContain('"fn":"accuracy"');
  const line = { id: 1, fn: "accuracy", statistic: "count", epsilon: 0.5, failureProbability: 0.05 };
  const stdin = `${JSON.stringify(line)}\n`;
  expect(JSON.parse(await output(consumer, [...command, "calc"], { stdin }))).toMatchObject({ id: 1, value: 6 });
  expect((await output(consumer, [...command, "--version"])).trim()).toBe(manifestOf("dosimeter").version);
});

test("`npx dosimeter demo` tells the story", async () => {
  const story = await output(consumer, [...command, "demo"]);
  expect(story).toContain("budget");
  expect(story.split("\n").length).toBeGreaterThan(20);
});

/** Serves a demo from the folder, looks at its page, the script of it and its state, and stops it. */
async function servesPages(home: string, bin: string, data: string): Promise<void> {
  const serve = [node, bin, "serve", "--demo", "--port", "0", "--data", data] as const;
  const { match, child } = await started(home, serve, { ready: /is at (http:\S+)/ });
  try {
    const get = (path: string) => fetch(new URL(path, match[1]), { signal: AbortSignal.timeout(30_000) });
    const page = await get("/");
    expect(page.headers.get("content-type")).toContain("text/html");
    const html = await page.text();
    expect(html).toContain('<div id="root">');
    const [, script = ""] = html.match(/<script[^>]* src="([^"]+)"/) ?? [];
    expect((await get(script)).status).toBe(200);
    expect((await get("/v1/ready")).status).toBe(200);
  } finally {
    expect(await stopped(child)).toBe(0);
  }
}

/** Prints a report of the demo and draws a curve: with fonts, workers and native code. */
async function drawsPictures(home: string, command: readonly [string, ...string[]], data: string): Promise<void> {
  const at = ["--data", data];
  const releases = JSON.parse(await output(home, [...command, ...at, "--json", "release", "list"])) as { id: string }[];
  await output(home, [...command, ...at, "report", releases[0]?.id ?? "", "--format", "pdf", "--output", "report.pdf"]);
  expect(readFileSync(join(home, "report.pdf"), "latin1")).toMatch(/^%PDF-/);
  await output(home, [...command, "tradeoff", "--gdp", "1", "--plot", "curve.png"]);
  expect(readFileSync(join(home, "curve.png"), "latin1")).toMatch(/^.PNG/);
}

test("`dosimeter serve --demo` has the pages in it", async () => {
  await servesPages(consumer, "node_modules/dosimeter/bin/dosimeter.cjs", join(folder, "data"));
});

test("the folder that containers hold runs by itself, and takes at most 140 MB", async () => {
  const home = join(folder, "standalone");
  await output(root, ["npm", "run", "--silent", "standalone", home]);
  const sizes = readdirSync(home, { recursive: true, withFileTypes: true }).map((file) =>
    file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0,
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(60_000_000);
  expect(bytes).toBeLessThanOrEqual(140_000_000);
  const bin = join(home, "bin/dosimeter.cjs");
  await servesPages(home, bin, join(folder, "standalone-data"));
  await drawsPictures(home, [node, bin], join(folder, "standalone-data"));
});

/** What Node reads to run this command line, without Node's own modules. */
async function filesOf(...args: readonly string[]): Promise<number> {
  writeFileSync(
    join(consumer, "count-files.mjs"),
    `import { registerHooks } from "node:module";
     let files = 0;
     registerHooks({ load: (url, context, next) => { if (url.startsWith("file:")) files++; return next(url, context); } });
     process.on("exit", () => console.error(files + " files"));`,
  );
  const bin = "node_modules/dosimeter/bin/dosimeter.cjs";
  const { code, out, err } = await runIn(consumer, [node, "--import", "./count-files.mjs", bin, ...args]);
  expect(code, out + err).toBe(0);
  return Number(/(\d+) files/.exec(err)?.[1]);
}

// Each file costs a third of a millisecond of the processor: bench/command.bench.ts counts those.
test("the command reads few files: none of the server's for its version, none per library for a quote", async () => {
  const folderOf = ["--data", join(folder, "data")];
  const ask = ["-s", "count epsilon=0.01", "--account", "Public health/Ana Silva"];
  expect(await filesOf("--version")).toBeLessThanOrEqual(10);
  expect(await filesOf(...folderOf, "plan", "quote", "adults", ...ask)).toBeLessThanOrEqual(130);
});

test("reports and pictures find their fonts and workers", () => drawsPictures(consumer, command, join(folder, "data")));

test("the licences of the libraries in the command's files are next to them", () => {
  const text = readFileSync(join(consumer, "node_modules/dosimeter/dist/LICENSES.txt"), "utf8");
  for (const name of ["commander", "hono", "kysely", "zod"]) expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
  expect(text.split("Permission is hereby granted").length).toBeGreaterThan(10);
});

test("the release workflow's last step publishes each", async () => {
  const workflow = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  const [, publish = ""] = workflow.match(/run: (for .* npm publish .*)$/m) ?? [];
  expect(publish).toContain("--provenance");
  const { code, out, err } = await runIn(folder, ["bash", "-c", publish.replace("--access", "--dry-run --access")]);
  expect(code, err).toBe(0);
  expect(out.match(/^\+ .*$/gm)?.toSorted()).toEqual(
    manifests.map(({ name, version }) => `+ ${name}@${version}`).sort(),
  );
});

const permissive = /^\(?(MIT|MIT-0|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|Unlicense)\b/;
/** Other licences, each with its reason. */
const excepted = new Map([
  ["@resvg/resvg-js", "MPL-2.0, used unchanged as a package of its own"],
  ["@fontsource-variable/inter", "OFL-1.1, a font, which ships with its licence"],
  ["png-js", "MIT, which only its LICENSE file says"],
]);

const missing = [whyNot("wheel"), whyNot("r")];
const unmade = missing.filter((why) => why !== null).join(", ");
test(
  named("the other files of a release are made without a network, and their sums hold", unmade === "" ? null : unmade),
  async () => {
    const parts = [
      "helm",
      "sbom",
      "notes",
      ...(missing[0] === null ? ["python"] : []),
      ...(missing[1] === null ? ["r"] : []),
    ];
    const to = join(folder, "packed");
    const files = makeFiles(to, parts);
    const version = manifestOf("dosimeter").version;
    const made = {
      python: [`dosimeter-${version}-py3-none-any.whl`, `dosimeter-${version}.tar.gz`],
      r: [`dosimeter_${version}.tar.gz`],
      helm: [`helm-dosimeter-${version}.tar.gz`],
      sbom: ["sbom.cdx.json"],
      notes: ["NOTES.md"],
    };
    const wanted = Object.entries(made).flatMap(([part, names]) => (parts.includes(part) ? names : []));
    const tarballs = [...packed.values()].map(({ tarball }) => basename(tarball));
    expect(files.toSorted()).toEqual([...wanted, ...tarballs, "SHA256SUMS"].toSorted());
    expect(await output(to, ["sha256sum", "--check", "--strict", "SHA256SUMS"])).not.toContain("FAILED");
    const notes = readFileSync(join(to, "NOTES.md"), "utf8").split("\n");
    expect(notes.length).toBeLessThanOrEqual(61);
  },
);

test("the bill of materials names what is shipped, under licences that permit anything", () => {
  const bill = JSON.parse(readFileSync(join(folder, "packed", "sbom.cdx.json"), "utf8")) as {
    bomFormat: string;
    components: {
      name: string;
      purl: string;
      licenses?: { license?: { id?: string }; expression?: string }[];
    }[];
  };
  expect(bill.bomFormat).toBe("CycloneDX");
  const listed = bill.components.map(({ purl }) => decodeURIComponent(purl));
  for (const { name, version } of manifests) expect(listed).toContain(`pkg:npm/${name}@${version}`);
  expect(listed.some((name) => name.startsWith("pkg:npm/hono@"))).toBe(true);
  const others = bill.components.filter(
    ({ name, licenses = [] }) =>
      ![...excepted.keys()].some((prefix) => name.startsWith(prefix)) &&
      !licenses.some(({ license, expression = license?.id ?? "" }) => permissive.test(expression)),
  );
  expect(others.map(({ name, licenses }) => [name, licenses])).toEqual([]);
});
