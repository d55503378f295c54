import { resolve } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { declaredOver, readingOf, upload } from "../derived/bring.ts";
import { showFit } from "../derived/fit-here.ts";
import { DECLARATION, reading } from "../derived/rows/data.ts";
import { readStructured } from "../flags/structured.ts";
import { canAnswer } from "../terminal/sure.ts";

/** `dosimeter dataset check`, which needs no server; the others are derived from the routes. */
export function define(command: Command, { terminal }: Context): void {
  const check = command
    .command("check")
    .description("how the rows of a file of mine fit a declaration, on this terminal alone: nothing is sent or kept")
    .argument("<file>", "a table on this machine")
    .requiredOption("-d, --declaration <file>", DECLARATION);
  for (const [flags, help] of Object.entries(reading)) check.option(flags, help);
  check.action(async (file: string, flags: Readonly<Record<string, string>>) => {
    if (!canAnswer(terminal))
      throw new PrivacyError(
        "FORBIDDEN",
        { name: "terminal", got: "a pipe", want: "a terminal with a person at it" },
        "rows are shown to a person at a terminal: run it there, without a pipe",
      );
    const given = await readStructured(flags.declaration ?? "", terminal);
    const declaration = isRecord(given) ? given : invalid("--declaration", given, "an object");
    const path = resolve(terminal.cwd, file);
    await showFit(terminal, {
      send: (here) => upload(here, path, readingOf(flags, declaration)),
      declaredOver: ({ from }) => declaredOver({ name: file, ...declaration }, path, from?.says),
    });
  });
}
