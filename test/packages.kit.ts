import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { folders, root } from "../scripts/packages.ts";

const MINUTE = 60_000;

export interface Packed {
  readonly tarball: string;
  /** Paths inside the tarball. */
  readonly files: ReadonlySet<string>;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end, or kills it after `wait` milliseconds with an error that holds its output. */
export async function runIn(
  cwd: string,
  [program, ...args]: readonly [string, ...string[]],
  { wait = 3 * MINUTE, stdin = "" }: { readonly wait?: number; readonly stdin?: string } = {},
): Promise<Ran> {
  const running = promisify(execFile)(program, args, { cwd, env, timeout: wait, maxBuffer: 2 ** 28 });
  running.child.stdin?.end(stdin);
  try {
    const { stdout, stderr } = await running;
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code === "number") return { code, out: stdout, err: stderr };
    throw new Error(`${program} ${args.join(" ")} did not end in ${wait} ms\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** Like `runIn`, but fails with the program's output unless it ends with 0. */
export async function output(...call: Parameters<typeof runIn>): Promise<string> {
  const { code, out, err } = await runIn(...call);
  if (code !== 0) throw new Error(`${call[1].join(" ")} ended with ${code}\n${out}\n${err}`);
  return out;
}

/** A clean environment, without the variables of this test run and of npm. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(?!config_)|NODE_(ENV|PATH|OPTIONS)$|VITEST|DOSIMETER_|INIT_CWD$)/i.test(name),
    ),
  ),
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  NO_COLOR: "1",
};

/** Builds and packs everything that is published, as the release workflow does. */
export async function packAll(folder: string): Promise<ReadonlyMap<string, Packed>> {
  mkdirSync(folder, { recursive: true });
  await output(root, ["npm", "run", "--silent", "packages"]);
  const built = folders.map((name) => `./dist/${name}`);
  const json = await output(root, ["npm", "pack", "--json", "--pack-destination", folder, ...built]);
  const packed = JSON.parse(json) as { name: string; filename: string; files: { path: string }[] }[];
  return new Map(
    packed.map(({ name, filename, files }) => [
      name,
      { tarball: join(folder, filename), files: new Set(files.map(({ path }) => path)) },
    ]),
  );
}

/** An npm project of its own in `folder`, with these packages installed. */
export async function install(folder: string, dependencies: Readonly<Record<string, string>>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const project = { name: "consumer", private: true, type: "module", dependencies };
  writeFileSync(join(folder, "package.json"), JSON.stringify(project));
  await output(folder, ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund"], { wait: 2 * MINUTE });
}

/** The errors of TypeScript for these files in `folder`, with its libraries checked too; "" when there are none. */
export async function compile(
  folder: string,
  files: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<string> {
  const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: "ES2024", ...options };
  const config = join(folder, `tsconfig.${String(options.module)}.json`);
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  return (await runIn(folder, [process.execPath, tsc, "--project", config])).out;
}

/** Resolves with the first match in the program's output; kills the program after `wait` milliseconds. */
export async function started(
  cwd: string,
  [program, ...args]: readonly [string, ...string[]],
  { ready, wait = MINUTE }: { readonly ready: RegExp; readonly wait?: number },
): Promise<{ readonly match: RegExpMatchArray; readonly child: ChildProcess }> {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const { promise, resolve, reject } = Promise.withResolvers<RegExpMatchArray>();
  let text = "";
  const read = (part: Buffer): void => {
    text += part;
    const match = text.match(ready);
    if (match !== null) resolve(match);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.on("exit", (code) => reject(new Error(`${program} ended with ${code}\n${text}`)));
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    reject(new Error(`${program} wrote nothing like ${ready} in ${wait} ms\n${text}`));
  }, wait);
  try {
    return { match: await promise, child };
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a program as Ctrl-C does, at the latest after `wait` milliseconds; returns its exit code. */
export async function stopped(child: ChildProcess, wait = MINUTE): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.on("exit", resolve);
  child.kill("SIGINT");
  const timer = setTimeout(() => child.kill("SIGKILL"), wait);
  return promise.finally(() => clearTimeout(timer));
}
