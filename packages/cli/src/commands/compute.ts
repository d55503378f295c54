import { basename, extname, resolve } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import { type Fields, isRecord } from "@dosimeter/core/internal";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { asPlan, type PlanFlags, planOf, planOptions } from "../flags/plan.ts";
import { readStructured } from "../flags/structured.ts";
import { answersAsCsv, CSV, EXACT, showAnswers } from "../show/answers.ts";
import { say, sayJson } from "../terminal/output.ts";
import { paint } from "../terminal/terminal.ts";

const NOBODY_COUNTS =
  "No ledger counts what this spent. Each further answer about the same people adds to what they lose; to keep a budget, declare the file as a dataset.";

/** `dosimeter compute`: like PSI's `compute`, for a local file: statistics and noise as in a release, without a ledger. */
export function define(command: Command, { terminal, globals }: Context): void {
  const compute = command
    .argument("<file>", "CSV or Parquet")
    .option(
      "-d, --declaration <file>",
      "YAML or JSON, or the text of it: '{privacyUnit: {column: person}, columns: {age: {type: integer, lower: 0, upper: 120}}}' (default: the unit is a row)",
    )
    .option(...CSV)
    .option(...EXACT);
  planOptions(compute).action(async (file: string, flags: Flags) => {
    const path = resolve(terminal.cwd, file);
    const written = flags.declaration === undefined ? {} : await readStructured(flags.declaration, terminal);
    if (!isRecord(written)) invalid("--declaration", written, "an object");
    const declaration = { name: basename(path, extname(path)), privacyUnit: "row", ...written };
    const plan = await planOf(flags, terminal);
    checkColumns(plan, declaration);
    const server = await import("@dosimeter/server");
    const { statistics, answers, words } = await server.compute(path, declaration, asPlan(plan));
    if (globals().json) return sayJson(terminal, { counted: false, note: NOBODY_COUNTS, statistics, answers });
    const shown = { answers, words };
    if (flags.csv) {
      terminal.out.write(answersAsCsv(shown, flags));
      terminal.err.write(`${NOBODY_COUNTS}\n`);
      return;
    }
    await showAnswers(terminal, shown);
    say(terminal, `\n${paint(terminal, "yellow", NOBODY_COUNTS)}`);
  });
}

interface Flags extends PlanFlags {
  readonly declaration?: string;
  readonly csv?: true;
  readonly exact?: true;
}

/** A column that is read but not declared: the option that declares it is named, since here there is no dataset that has it. */
function checkColumns(
  plan: { readonly statistics: readonly Fields[]; readonly let?: unknown },
  declaration: Fields,
): void {
  const columns = declaration.columns ?? {};
  const names = Array.isArray(columns) ? columns.map(({ name }) => name) : Object.keys(columns);
  const known = new Set<unknown>([...names, ...Object.keys((plan.let ?? {}) as Fields)]);
  for (const { column } of plan.statistics)
    if (typeof column === "string" && !known.has(column))
      throw new PrivacyError(
        "UNKNOWN_COLUMN",
        { name: "--declaration", column },
        `${column} is not declared: say what it holds, as in -d '{columns: {${column}: {type: integer, lower: 0, upper: 120}}}'`,
      );
}
