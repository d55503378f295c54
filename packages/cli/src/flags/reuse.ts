import type { ReuseChoice } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { collect } from "./values.ts";

export interface ReuseFlags {
  readonly reuse?: readonly string[];
  readonly asOf?: string;
}

/** Which earlier answers may be used; the same flags for quotes and releases. */
export function reuseOptions(command: Command): Command {
  return command
    .option(
      "--reuse <how>",
      "earlier answers: never (default), asAccurate, free, or s1=<offer id or kind>; may come several times",
      collect,
    )
    .option("--as-of <version>", "ask about an earlier version of the dataset");
}

export function reuseOf({ reuse = [], asOf }: ReuseFlags): { reuse?: ReuseChoice; asOf?: number } {
  return {
    ...(reuse.length === 0 ? {} : { reuse: choiceOf(reuse) }),
    ...(asOf === undefined ? {} : { asOf: versionOf(asOf) }),
  };
}

const words = ["asAccurate", "free", "never"] as const;

function choiceOf(said: readonly string[]): ReuseChoice {
  const [first = ""] = said;
  const word = words.find((one) => one === first);
  if (word !== undefined && said.length === 1) return word;
  return Object.fromEntries(
    said.map((row) => {
      const at = row.indexOf("=");
      if (at < 1 || at === row.length - 1) invalid("--reuse", row, `${words.join(", ")}, or <row>=<offer>`);
      return [row.slice(0, at), row.slice(at + 1)];
    }),
  );
}

function versionOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  invalid("--as-of", text, "the number of a version");
}
