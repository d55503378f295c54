import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Plugin } from "vitest/config";

const { bundleWorkers } = createRequire(import.meta.url)("../scripts/bundle-command.cjs") as {
  bundleWorkers(folder: string): Promise<void>;
};

/**
 * Threads and processes that a server in a test starts run a bundle of their sources, as those of the installed command do:
 * the measuring process is ready in 0.14 s of processor time, where its 540 files took 0.4 s. A watching run takes the
 * sources, which change. The bundle is made where the first test needs it, and removed at the end.
 */
export function bundledWorkers(): Plugin {
  // Under the root, where a bundle finds the packages that it leaves out.
  const folder = join(import.meta.dirname, `../node_modules/.cache/dosimeter-workers-${process.pid}`);
  let isWatching = false;
  let made: Promise<void> | undefined;

  function make(): Promise<void> {
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    return bundleWorkers(folder);
  }

  return {
    name: "bundled-workers",
    enforce: "pre",
    configureVitest({ vitest }) {
      isWatching = vitest.config.watch;
    },
    async transform(code, id) {
      // How a package says where its worker is: `new URL("./name.worker" + ending, import.meta.url)`.
      if (isWatching || !/const ending = import\.meta\.url/.test(code) || !id.includes("/src/")) return null;
      made ??= make();
      await made;
      return code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(join(folder, "x.js")).href));
    },
  };
}
