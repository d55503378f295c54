import { writeFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { Client, Release } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { choiceOf } from "@dosimeter/core/internal";
import { toCsv } from "@dosimeter/plot";
import { type FormatName, formats as files, formatted } from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query/answer";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { saySchedule, scheduleTable } from "../show/schedule.ts";
import { say, sayJson } from "../terminal/output.ts";

type Format = FormatName | "pdf" | "json" | "plan";

interface Flags {
  readonly format?: string;
  readonly output?: string;
  readonly exact?: true;
}

/** `dosimeter report <release>`: what was released, for people and for programs. Reading is free. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  defineSeries(command, context);
  command
    .argument("<release>", "its id")
    .option("-f, --format <format>", `${formats.join(", ")} (default: as the file's name ends, else html)`)
    .option("-o, --output <file>", "write here instead of to the output")
    .option("--exact", "of a table: all digits that were released, not only those that mean something")
    .action(async (id: string, flags: Flags) => {
      const format = formatOf(flags);
      const isBinary = format === "pdf" || (isFile(format) && files[format].isBinary);
      if (isBinary && flags.output === undefined && terminal.isInteractive)
        invalid("--output", undefined, `a file: ${format} is not for a terminal`);
      const document = await withClient<string | Uint8Array>(context, (client) =>
        isFile(format) ? fileOf(client, { id, format, flags }) : documents[format](client, id),
      );
      if (flags.output === undefined) {
        terminal.out.write(document);
        return;
      }
      const path = resolve(terminal.cwd, flags.output);
      await writeFile(path, document);
      if (globals().json) sayJson(terminal, { release: id, format, path });
      else say(terminal, path);
    });
}

/** `dosimeter report series`: a table of numbers, whole as CSV; the other commands of reports that come by themselves are routes. */
function defineSeries(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("series")
    .description("what its reports said, one after the other; reading is free")
    .argument("<schedule>", "its id")
    .option("--csv", "print every number as CSV and nothing else")
    .action(async (id: string, flags: { readonly csv?: true }) => {
      const schedule = await withClient(context, (client) => client.showSchedule({ schedule: id }));
      if (flags.csv) terminal.out.write(toCsv({ table: scheduleTable(schedule) }));
      else if (globals().json) sayJson(terminal, schedule);
      else await saySchedule(terminal, schedule);
    });
}

const shown = async (client: Client, release: string): Promise<Release> => client.showRelease({ release, wait: 20 });

const isFile = (format: Format): format is FormatName => Object.hasOwn(files, format);

async function fileOf(
  client: Client,
  { id, format, flags }: { readonly id: string; readonly format: FormatName; readonly flags: Flags },
): Promise<string | Uint8Array> {
  const release = await shown(client, id);
  return formatted(format, { ...release, answers: answersToShow(release) }, { isExact: flags.exact === true });
}

const documents = {
  async pdf(client, id) {
    return new Uint8Array(await (await client.releaseReport({ release: id })).arrayBuffer());
  },
  async json(client, id) {
    return `${JSON.stringify(await shown(client, id), null, 2)}\n`;
  },
  async plan(client, id) {
    return `${JSON.stringify((await shown(client, id)).plan, null, 2)}\n`;
  },
} as const satisfies Record<Exclude<Format, FormatName>, (client: Client, id: string) => Promise<string | Uint8Array>>;

const formats = [...Object.keys(files), ...Object.keys(documents)] as readonly Format[];

function formatOf({ format, output }: Flags): Format {
  const named = format ?? (output === undefined ? "html" : extname(output).slice(1).toLowerCase());
  const found = formats.find((each) => each === named);
  if (found !== undefined) return found;
  invalid("--format", named, choiceOf(named, formats));
}
