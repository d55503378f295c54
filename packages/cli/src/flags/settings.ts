import type { Origins, SettingName } from "@dosimeter/server";
import { settingRows } from "@dosimeter/server/settings";
import type { Command } from "commander";
import { wrapped } from "../terminal/output.ts";
import { type Terminal, widthOf } from "../terminal/terminal.ts";

const rows = settingRows.filter(([, { flag }]) => flag !== undefined);

export function addSettings(command: Command, terminal: Terminal): void {
  command.option(
    "--config <file>",
    "a YAML file of settings (default: $DOSIMETER_CONFIG); options and variables win over it",
  );
  for (const [name, { flag = "", means, usual, between }] of rows) {
    const several = between === undefined ? "" : "; may come several times";
    const help = `${means}${several} (default: $${name}${usual === "" ? "" : `, or ${usual}`})`;
    if (between === undefined) command.option(flag, help);
    else
      command.option(flag, help, (value: string, before = "") =>
        before === "" ? value : `${before}${between}${value}`,
      );
  }
  command.addHelpText("after", () => wrapped(others(), widthOf(terminal)));
}

function others(): string {
  const lines = settingRows
    .filter(([name, { flag }]) => flag === undefined && name !== "DOSIMETER_DATA")
    .map(([name, { means, usual }]) => `  ${name}\n      ${means}${usual === "" ? "" : ` (default: ${usual})`}`);
  return `\nSettings without an option, from the environment or the file:\n${lines.join("\n")}`;
}

/** Where the settings of a command come from. */
export const originsOf = (command: Command, { env, cwd }: Terminal, file: string | undefined): Origins => ({
  env,
  options: settingsIn(command),
  file,
  cwd,
});

/** What the options say, by the variables that they stand for. */
function settingsIn(command: Command): { readonly [Name in SettingName]?: string } {
  const given = rows.flatMap(([name, { flag = "" }]) => {
    const value: unknown = command.getOptionValue(command.createOption(flag).attributeName());
    return value === undefined ? [] : [[name, value === true ? "1" : String(value)] as const];
  });
  return Object.fromEntries(given);
}
