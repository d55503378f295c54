import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { root } from "./docs.kit.ts";

export const pythonClient = join(root, "clients/python");
export const rClient = join(root, "clients/r");
/** The interpreter: `PYTHON`, or the first on PATH. */
export const python = process.env.PYTHON || "python3";

const MINUTES_MS = 590_000;

/** Whether `command` ends well: a language with its libraries is on this machine. */
function has(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore", timeout: 60_000 });
    return true;
  } catch {
    return false;
  }
}

const needs = {
  python: { is: "python3 with requests", check: () => has(python, "-c", "import requests") },
  r: { is: "R with httr2 and jsonlite", check: () => has("Rscript", "-e", "library(httr2); library(jsonlite)") },
  psql: { is: "psql", check: () => has("psql", "--version") },
  psycopg2: { is: "psycopg2", check: () => has(python, "-c", "import psycopg2") },
  psycopg: { is: "psycopg 3", check: () => has(python, "-c", "import psycopg") },
  sqlalchemy: { is: "SQLAlchemy", check: () => has(python, "-c", "import sqlalchemy") },
  RPostgreSQL: { is: "R with RPostgreSQL", check: () => has("Rscript", "-e", "library(RPostgreSQL)") },
  wheel: { is: "setuptools and wheel", check: () => has(python, "-c", "import setuptools, wheel") },
  mypy: {
    is: "mypy with the types of requests",
    check: () => has(python, "-m", "mypy", "--strict", "-c", "import requests"),
  },
} as const;

/** Why tests of a client cannot run, or null. With REQUIRE_CLIENTS=1 that is a failure, not a skip. */
export function whyNot(need: keyof typeof needs): string | null {
  const { is, check } = needs[need];
  if (check()) return null;
  if (process.env.REQUIRE_CLIENTS === "1") throw new Error(`REQUIRE_CLIENTS=1, but ${is} is not here`);
  return `${is} is not here`;
}

/** Why code of a tool that is optional cannot run, or null. */
export const whyNoModule = (...modules: readonly string[]): string | null =>
  has(python, "-c", `import ${["requests", ...modules].join(", ")}`)
    ? null
    : `${modules.join(" and ")} for Python is not here`;

/** The driver of ODBC that Debian's odbc-postgresql installs, and why it is not asked, or null. */
export const ODBC = "psqlodbcw.so";
export const whyNoOdbc = (): string | null =>
  has("sh", "-c", `isql --version && ls /usr/lib/*/odbc/${ODBC}`) ? null : "isql with odbc-postgresql is not here";

/** The name of a test, with why it is skipped. */
export const named = (name: string, reason: string | null): string =>
  reason === null ? name : `${name} (skipped: ${reason})`;

/** What finds the Python client in this checkout, and the R client in a library of that folder. */
export const clientEnv = (library: string): Readonly<Record<string, string>> => ({
  PYTHONPATH: join(pythonClient, "src"),
  PYTHONDONTWRITEBYTECODE: "1",
  // R prints Greek letters as codes in the locale C.
  LC_ALL: "C.UTF-8",
  R_LIBS: [library, process.env.R_LIBS].filter(Boolean).join(delimiter),
  DOSIMETER_COMMAND: `${process.execPath} ${join(root, "packages/dosimeter/bin/dosimeter.cjs")}`,
});

const execute = promisify(execFile);

/** What a program printed. It runs apart from this process, which may be the server that it asks. */
export async function printed(
  command: readonly [string, ...string[]],
  { env, cwd = root }: { readonly env: Readonly<Record<string, string>>; readonly cwd?: string },
): Promise<string> {
  const [program, ...args] = command;
  const { stdout } = await execute(program, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: MINUTES_MS,
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

/** Installs the R client into a library of its own. */
export async function installR(library: string): Promise<void> {
  mkdirSync(library, { recursive: true });
  await printed(["R", "CMD", "INSTALL", "--no-docs", "--no-test-load", `--library=${library}`, rClient], {
    env: { LC_ALL: "C.UTF-8" },
  });
}

export const rTest = (name: string): string => join(rClient, "tests", `${name}.R`);
