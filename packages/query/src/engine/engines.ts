import { PrivacyError } from "@dosimeter/core";
import type { Declaration, Source } from "../declaration/declaration.ts";
import type { Engine } from "./engine.ts";

/** One engine over several: files go to one, each kind of database to its own. Closes them all. */
export function enginesBySource(engines: { readonly files: Engine; readonly postgres?: Engine | undefined }): Engine {
  const engineOf = (source: Source): Engine => {
    if (!("postgres" in source)) return engines.files;
    if (engines.postgres !== undefined) return engines.postgres;
    const { connection } = source.postgres;
    throw new PrivacyError(
      "DATA_UNREADABLE",
      { name: "source.postgres.connection" },
      `this server knows no connection "${connection}"`,
    );
  };
  return {
    describe: async (source, signal) => engineOf(source).describe(source, signal),
    check: async (declaration: Declaration, options) => engineOf(declaration.source).check(declaration, options),
    async run(plan, options) {
      if ("postgres" in plan.declaration.source && engines.postgres === undefined)
        throw new PrivacyError("ENGINE_FAILED");
      return engineOf(plan.declaration.source).run(plan, options);
    },
    async close() {
      await Promise.all([engines.files.close(), engines.postgres?.close()]);
    },
  };
}
