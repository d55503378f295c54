// Builds the three packages that people install into dist/, each complete by itself: `npm run build && npm run packages`. What they
// hold of other workspaces is bundled; a library is where a process of ours would start slower without, and is a dependency elsewhere.
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { type InputOption, type OutputOptions, type RolldownOutput, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

export const root = join(import.meta.dirname, "..");

type Texts = Readonly<Record<string, string>>;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Texts;
  readonly dependencies?: Texts;
  readonly optionalDependencies?: Texts;
  readonly [field: string]: unknown;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(join(root, file), "utf8")) as T;
export const manifestOf = (folder: string): Manifest => read(`packages/${folder}/package.json`);

/** What is published, with the entries that it has of other workspaces, and those of its own that it keeps to itself (null). */
const published: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  core: {
    "./exact": null,
    "./internal": null,
    "./testing": null,
    "./tradeoff": "@dosimeter/tradeoff",
    "./risk": "@dosimeter/risk",
  },
  client: { "./verify": "@dosimeter/verify" },
  dosimeter: {},
};
export const folders = Object.keys(published);

/** The source of what a program of this repository imports by this name; undefined for a library. */
function sourceOf(id: string): string | undefined {
  const [, folder = "", path = ""] = /^(?:@dosimeter\/|(?=dosimeter))([a-z-]+)(.*)$/.exec(id) ?? [];
  const source = folder === "" ? undefined : manifestOf(folder).exports[`.${path}`];
  return source === undefined ? undefined : join(root, "packages", folder, source);
}

/** The entries of a package, by path, as names of files; each with its source. */
export function entriesOf(folder: string): ReadonlyMap<string, { readonly file: string; readonly source: string }> {
  const { name, exports } = manifestOf(folder);
  const own = Object.keys(exports).map((path) => [path, name + path.slice(1)] as const);
  const entries = new Map<string, string | null>([...own, ...Object.entries(published[folder] ?? {})]);
  return new Map(
    [...entries].flatMap(([path, id]) => {
      if (id === null) return [];
      const source = sourceOf(id);
      if (source === undefined) throw new Error(`${id} is no entry of a workspace`);
      return [[path, { file: path === "." ? "index" : path.slice(2), source }] as const];
    }),
  );
}

/** In what of this repository runs without being installed, the name that the workspace has here. */
export const inRepository = (code: string): string =>
  Object.entries(published).reduce(
    (text, [folder, others]) =>
      Object.entries(others).reduce(
        (more, [path, id]) =>
          id === null ? more : more.replaceAll(`"${manifestOf(folder).name}${path.slice(1)}"`, `"${id}"`),
        text,
      ),
    code,
  );

/** Libraries that stay packages: what has native code, what reads files next to itself or is read as files, and drivers with optional parts. */
export const librariesOf = ({ dependencies = {} }: Manifest): Texts =>
  Object.fromEntries(Object.entries(dependencies).filter(([name]) => !name.startsWith("@dosimeter/")));

async function bundled(
  input: InputOption,
  options: Parameters<typeof rolldown>[0],
  output: OutputOptions,
): Promise<RolldownOutput> {
  const build = await rolldown({ input, checks: { bundlerTimings: false }, ...options });
  try {
    return output.dir === undefined ? await build.generate(output) : await build.write(output);
  } finally {
    await build.close();
  }
}

/** The declarations of these sources, of which `tsc` wrote each file's; what stands in several goes into files that they share. */
export function declarations(sources: Texts, dir?: string): Promise<RolldownOutput> {
  const declared = (source: string): string => source.replace(/\/src\/(.*)\.ts$/, "/dist/$1.d.ts");
  const own = {
    name: "own",
    resolveId: {
      order: "pre" as const,
      handler(id: string, importer?: string): string | undefined {
        if (importer !== undefined && id.startsWith(".")) return join(importer, "..", id.replace(/\.ts$/, ".d.ts"));
        const source = sourceOf(id);
        return source && declared(source);
      },
    },
  };
  const input = Object.fromEntries(Object.entries(sources).map(([file, source]) => [file, declared(source)]));
  const external = (id: string): boolean => !/^[./]/.test(id) && sourceOf(id) === undefined;
  const plugins = [own, dts({ dtsInput: true, oxc: true, tsconfig: false })];
  return bundled(
    input,
    { external, plugins },
    { ...(dir === undefined ? {} : { dir }), chunkFileNames: "[name]-[hash].js" },
  );
}

/** The command, and each thread and process that it starts: all in one folder, where they find each other. */
const programs = (): Texts => {
  const workers = globSync("packages/*/src/**/*.worker.ts", { cwd: root }).map((file) => [
    basename(file, ".ts"),
    join(root, file),
  ]);
  const found = Object.fromEntries([["command", join(root, "packages/dosimeter/src/main.ts")], ...workers]) as Texts;
  if (Object.keys(found).length <= workers.length) throw new Error("two workers have one name");
  return found;
};

function licences(modules: readonly string[]): string {
  const homes = new Set(
    modules.flatMap((id) => /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? []),
  );
  const texts = [...homes].map((home) => {
    const { name, version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Manifest;
    const file = readdirSync(home).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${name} has no text of its licence, so it must stay a package`);
    return `${name} ${version}\n\n${readFileSync(join(home, file), "utf8").trim()}`;
  });
  return `${texts.sort().join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** What every program loads a little of, in one file instead of one for each. */
const VALUES = { name: "values", test: /core\/src\/(amounts\/|count-words|csv-field|error|json|printable|version)/ };

/** Writes the code of a package into `dir`: few files, as Node takes longer to find a thousand modules than to run what it needs of them. */
export async function writeCode(folder: string, dir: string): Promise<void> {
  const sources = [...entriesOf(folder).values()].map(({ file, source }) => [file, source] as const);
  const isProgram = folder === "dosimeter";
  if (isProgram) cpSync(builtWeb(), join(dir, "web"), { recursive: true });
  const libraries = Object.keys(librariesOf(manifestOf(folder)));
  const { output } = await bundled(
    { ...Object.fromEntries(sources), ...(isProgram ? programs() : {}) },
    {
      platform: isProgram ? "node" : "neutral",
      external: (id) => libraries.some((name) => id === name || id.startsWith(`${name}/`)),
    },
    {
      dir,
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      // Source maps of a command would be read by each start of it.
      sourcemap: !isProgram,
      ...(isProgram ? { codeSplitting: { groups: [VALUES] } } : {}),
    },
  );
  const text = licences(output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
  if (text.trim() !== "") writeFileSync(join(dir, "LICENSES.txt"), text);
}

function builtWeb(): string {
  const web = join(root, "apps/web/dist");
  if (!existsSync(join(web, "index.html"))) throw new Error("the pages are not built: run `npm run build` first");
  return web;
}

/** Puts the licence, the changelog and what starts the command next to the code. */
export function addPapers(folder: string, home: string): void {
  for (const paper of ["LICENSE", "CHANGELOG.md"]) cpSync(join(root, paper), join(home, paper));
  const bin = join(root, "packages", folder, "bin");
  if (existsSync(bin)) cpSync(bin, join(home, "bin"), { recursive: true });
}

/** The version of a library that is installed here. */
const versionOf = (name: string): string => read<Manifest>(`node_modules/${name}/package.json`).version;

/** A package as npm publishes it, in `home`. */
async function writePackage(folder: string, home: string): Promise<void> {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const dir = join(home, "dist");
  await writeCode(folder, dir);
  const entries = [...entriesOf(folder)];
  const { output } = await declarations(Object.fromEntries(entries.map(([, { file, source }]) => [file, source])), dir);
  const typed = output
    .flatMap((file) => (file.type === "chunk" ? [...file.code.matchAll(/ from "([^".][^"]*)"/g)] : []))
    .flatMap(([, name = ""]) => (isBuiltin(name) ? [] : [name]));
  const { private: _, devDependencies: __, dependencies: ___, exports: ____, ...manifest } = manifestOf(folder);
  const dependencies = {
    ...Object.fromEntries(typed.map((name) => [name, versionOf(name)])),
    ...librariesOf(manifestOf(folder)),
  };
  const exports = Object.fromEntries(
    entries.map(([path, { file }]) => [path, { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` }]),
  );
  const text = { ...manifest, sideEffects: false, exports, dependencies };
  writeFileSync(join(home, "package.json"), `${JSON.stringify(text, null, 2)}\n`);
  cpSync(join(root, "packages", folder, "README.md"), join(home, "README.md"));
  addPapers(folder, home);
}

if (import.meta.main) for (const folder of folders) await writePackage(folder, join(root, "dist", folder));
