import { invalid } from "@dosimeter/core";
import type { Command } from "commander";

/** INVALID_PARAMETER that names a command's options when none of them is given, because it would do nothing. */
export function needsAnOption(command: Command): void {
  if (Object.keys(command.opts()).length > 0) return;
  const want = `one of ${command.options.map(({ long }) => long).join(", ")}`;
  invalid("an option", undefined, want);
}
