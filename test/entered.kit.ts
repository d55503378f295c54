import { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** A function of the packages, and how often it was entered; of one that yields or waits, also how often it went on. */
export interface Entered {
  /** Inside `packages`. */
  readonly file: string;
  /** Empty where it has none. */
  readonly name: string;
  readonly count: number;
}

const packages = fileURLToPath(new URL("../packages/", import.meta.url));

/** What of the packages runs in this process meanwhile. */
export async function enteredIn(run: () => Promise<unknown>): Promise<readonly Entered[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await run();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result.flatMap(({ url, functions }) => {
      const file = relative(packages, url.startsWith("file:") ? fileURLToPath(url) : url);
      if (file.startsWith("..") || file.startsWith("node_modules") || url === "") return [];
      return functions.flatMap(({ functionName: name, ranges: [range] }) => {
        const isModule = name === "" && range?.startOffset === 0;
        return range === undefined || range.count === 0 || isModule ? [] : [{ file, name, count: range.count }];
      });
    });
  } finally {
    session.disconnect();
  }
}

/** How often the functions of this name were entered. */
export const timesOf = (entered: readonly Entered[], name: string): number =>
  entered.reduce((sum, one) => sum + (one.name === name ? one.count : 0), 0);
