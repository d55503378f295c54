import { invalid } from "@dosimeter/core";
import type { Command } from "commander";

/** For a command that without any of its options would change nothing and say nothing: INVALID_PARAMETER that names them. */
export function needsAnOption(command: Command): void {
  if (Object.keys(command.opts()).length > 0) return;
  const want = `one of ${command.options.map(({ long }) => long).join(", ")}`;
  invalid("an option", undefined, want);
}
