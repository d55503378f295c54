import type { Command, Option } from "commander";

/** A command as its words: `ledger open`, and what may stand after them. */
export interface Line {
  readonly line: string;
  readonly words: readonly string[];
  /** The options that take a value, each with the values of a closed set; files where it has none. */
  readonly values: readonly { readonly flag: string; readonly of: readonly string[] }[];
}

/** The values of options and arguments that take one of a closed set and are written by hand; those of routes are in their schemas. */
export const closedSets: Readonly<Record<string, readonly string[]>> = {
  completion: ["bash", "zsh", "fish"],
  "risk sensitivity --statistic": ["sum", "mean", "variance", "median", "ridge"],
  "risk budget --form": ["corrected", "printed"],
  "serve --log": ["silent", "error", "info"],
  "serve --self-approval": ["refuse", "flag"],
  "serve --teams": ["anyone", "admins"],
  "total --adjacency": ["addRemove", "replace"],
  "tradeoff --axes": ["linear", "log", "probit"],
};

/** Shells take signs such as quotes and spaces for their own. */
const isPlain = (value: string): boolean => /^[\w.:@+-]+$/.test(value);

/** Every command below one, itself first. Options of the program are taken by every command. */
export function linesOf(command: Command, line = "", everywhere: readonly Option[] = command.options): readonly Line[] {
  const options = [...new Set([...command.options, ...everywhere])].filter(({ hidden }) => !hidden);
  const flags = options.flatMap(({ long, short }) => [long, short].filter((flag) => flag != null));
  const own = {
    line,
    words: [
      ...(closedSets[line] ?? command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)),
      ...command.commands.map((one) => one.name()),
      ...flags,
      "--help",
    ],
    values: options
      .filter(({ required, optional }) => required || optional)
      .flatMap(({ long, short, argChoices = [] }) =>
        [long, short].flatMap((flag) =>
          flag == null ? [] : [{ flag, of: closedSets[`${line} ${long}`] ?? argChoices.filter(isPlain) }],
        ),
      ),
  };
  return [own, ...command.commands.flatMap((one) => linesOf(one, `${line} ${one.name()}`.trim(), everywhere))];
}
