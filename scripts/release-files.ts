// `npm run release:files -- <folder>`: everything that a release publishes and that needs no network: packages of npm, the wheel and the source package
// for Python, the source package for R, the Helm chart, the bill of materials, what the changelog says, and SHA-256 of all. After `npm run build`.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { chartFiles } from "./chart.ts";
import { folders, root } from "./packages.ts";

const SUMS = "SHA256SUMS";
const python = process.env.PYTHON || "python3";

function ran(program: string, args: readonly string[], cwd = root): string {
  const env = { ...process.env, LC_ALL: "C.UTF-8", R_REPOSITORIES: "NULL" };
  return execFileSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 26,
  });
}

const version = (): string =>
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string }).version;

const parts: Readonly<Record<string, (to: string, work: string) => void>> = {
  npm(to) {
    ran("npm", ["run", "--silent", "packages"]);
    ran("npm", ["pack", "--silent", "--pack-destination", to, ...folders.map((name) => `./dist/${name}`)]);
  },
  python(to, work) {
    const copy = join(work, "python");
    cpSync(join(root, "clients/python"), copy, { recursive: true });
    const build =
      "import sys; from setuptools import build_meta as b; to = sys.argv[1]; b.build_wheel(to); b.build_sdist(to)";
    ran(python, ["-W", "ignore", "-c", build, to], copy);
  },
  r(to) {
    ran("R", ["CMD", "build", "--no-build-vignettes", join(root, "clients/r")], to);
  },
  helm(to, work) {
    const files = chartFiles(version());
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(work, dirname(path)), { recursive: true });
      writeFileSync(join(work, path), content);
    }
    // No .tgz: those are published to npm.
    ran("tar", ["-czf", join(to, `helm-dosimeter-${version()}.tar.gz`), "-C", work, ...Object.keys(files)]);
  },
  sbom(to) {
    writeFileSync(join(to, "sbom.cdx.json"), ran("npm", ["run", "--silent", "sbom"]));
  },
  notes(to) {
    const said = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m);
    const notes = said.find((part) => part.startsWith(`${version()}\n`))?.slice(version().length + 1);
    if (notes === undefined) throw new Error(`CHANGELOG.md has no ${version()}`);
    writeFileSync(join(to, "NOTES.md"), `${notes.trim()}\n`);
  },
};

/** Makes these parts, or all, and the sums of what is there. Returns the names. */
export function makeFiles(to: string, wanted: readonly string[] = Object.keys(parts)): readonly string[] {
  mkdirSync(to, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "dosimeter-files-"));
  try {
    for (const name of wanted) parts[name]?.(to, work);
  } finally {
    rmSync(work, { recursive: true });
  }
  return writeSums(to);
}

function writeSums(folder: string): readonly string[] {
  const names = readdirSync(folder)
    .filter((name) => name !== SUMS)
    .toSorted();
  const sums = names.map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex")}  ${name}\n`,
  );
  writeFileSync(join(folder, SUMS), sums.join(""));
  return [...names, SUMS];
}

if (import.meta.main)
  for (const name of makeFiles(resolve(process.argv[2] ?? "released"))) process.stdout.write(`${name}\n`);
