import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { columnsJson, readSchemaFile } from "@dosimeter/query/schema";
import type { Command } from "commander";
import { parse, stringify } from "yaml";
import type { Context } from "../context.ts";
import { sayJson } from "../terminal/output.ts";

/** `dosimeter code-book`: the columns of a declaration, as a code book says them. Needs no server. */
export function define(command: Command, { terminal, globals }: Context): void {
  command
    .argument(
      "<file>",
      "DDI, CSVW, a Table Schema, a data dictionary of REDCap, a JSON Schema, or lines such as 'sex  Sex  0=f; 1=m'",
    )
    .action(async (file: string) => {
      const bytes = await readFile(resolve(terminal.cwd, file));
      const { columns } = readSchemaFile(bytes, (text) => parse(text, { maxAliasCount: 100 }));
      const json = { columns: columnsJson(columns) };
      if (globals().json) return sayJson(terminal, json);
      terminal.out.write(stringify(json));
    });
}
