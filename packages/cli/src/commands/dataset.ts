import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import type { Client, Dataset, File, Input, Output } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import { countText } from "@dosimeter/core/internal";
import {
  commentOf,
  convertedFormats,
  isConnected,
  missingWords,
  overFile,
  pathIn,
  uploadFormatOf,
  uploadFormats,
} from "@dosimeter/query";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findDataset, listOf } from "../find.ts";
import { applyFlags, type DeclarationFlags, declarationOptions, readDeclaration } from "../flags/declaration.ts";
import { readStructured } from "../flags/structured.ts";
import { accountColumns, amount, datasetColumns, protectedText } from "../show/columns.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import { defineCatalog, defineListing } from "./catalog.ts";
import { type LedgerFlags, ledgerOptions, openLedger, sayWarnings } from "./ledger.ts";

const FORMATS = [...Object.values(uploadFormats), ...Object.values(convertedFormats)]
  .map(({ label }) => label)
  .join(", ");
const SHEET = "of an Excel workbook (default: its first visible one)";

/** How a table that is brought is read, next to what its declaration says. */
const readingOptions = (command: Command): Command =>
  command
    .option("--sheet <name>", SHEET)
    .option(
      "--encoding <name>",
      "of a CSV file: utf-8, utf-16le, utf-16be or windows-1252 (default: what its beginning shows)",
    );

/** The server refuses an encoding that it does not know. */
type ReadingFlags = Pick<Reading, "encoding" | "sheet">;

interface AddFlags extends DeclarationFlags, LedgerFlags, ReadingFlags {
  readonly samePeopleAs?: string;
  readonly secondLedger?: string;
  readonly serverFile?: string;
}

/** `dosimeter dataset add | version | append | close | versions | show | access | tables | connections | list | erase | catalog | listing`. */
export function define(command: Command, context: Context): void {
  defineAdd(command, context);
  defineVersion(command, context);
  defineAppend(command, context);
  defineClose(command, context);
  defineVersions(command, context);
  defineShow(command, context);
  defineTables(command, context);
  defineAccess(command, context);
  defineConnections(command, context);
  defineList(command, context);
  defineErase(command, context);
  defineCatalog(command, context);
  defineListing(command, context);
}

function defineErase(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("erase")
    .description("delete the uploaded tables of a dataset for good; what was spent and every answer stays")
    .argument("<dataset>", "by name or id")
    .action(async (which: string) => {
      const erased = await withClient(context, async (client) =>
        client.eraseUploads({ dataset: (await findDataset(client, which)).id }),
      );
      if (globals().json) return sayJson(terminal, erased);
      say(terminal, `Deleted: ${erased.files}.`);
    });
}

function defineAdd(command: Command, context: Context): void {
  const { terminal, globals } = context;
  const add = readingOptions(declarationOptions(command.command("add")))
    .description("upload a table and declare it; with --epsilon and --delta its ledger is opened too")
    .argument("[file]", `${FORMATS} (default: the source that the declaration names)`)
    .option("--server-file <path>", "a table in an allowed folder of the server, as `dataset tables` lists it")
    .option("--same-people-as <dataset>", "the same people as in this dataset: they share one ledger")
    .option(
      "--second-ledger <reason>",
      "of a table whose rows have a ledger already: why they may have a second budget",
    );
  ledgerOptions(add, false).action(async (file: string | undefined, flags: AddFlags) => {
    const { path, declaration } = await declare(flags.serverFile ?? file, flags, terminal);
    const dataset = await withClient(context, async (client) => {
      const population = flags.samePeopleAs && (await findDataset(client, flags.samePeopleAs)).population;
      const uploaded =
        path === null ? null : await bring(client, path, flags.serverFile, readingOf(flags, declaration));
      const { id } = await client.createDataset({
        ...(uploaded === null ? {} : { file: uploaded.id }),
        declaration,
        ...(population ? { population } : {}),
        ...(flags.secondLedger === undefined ? {} : { secondLedger: flags.secondLedger }),
      });
      if (flags.epsilon !== undefined) sayWarnings(terminal, await openLedger(client, id, flags));
      return client.showDataset({ dataset: id });
    });
    if (globals().json) return sayJson(terminal, dataset);
    await showDataset(terminal, dataset);
  });
}

function defineVersion(command: Command, context: Context): void {
  const { terminal, globals } = context;
  readingOptions(command.command("version"))
    .description("new rows of the same people, or another declaration: same ledger, nothing is reused across versions")
    .argument("<dataset>", "its name or id")
    .argument("[file]", `${FORMATS} (default: the same rows)`)
    .option("-d, --declaration <file>", "YAML or JSON (default: as before)")
    .action(async (name: string, file: string | undefined, flags: { declaration?: string } & ReadingFlags) => {
      const declaration =
        flags.declaration === undefined
          ? {}
          : { declaration: (await readStructured(flags.declaration, terminal.cwd)) as Record<string, unknown> };
      const version = await withClient(context, async (client) => {
        const { id: dataset } = await findDataset(client, name);
        const given = declaration.declaration ?? (await client.showDataset({ dataset })).declaration;
        const chosen = readingOf(flags, given);
        const uploaded =
          file === undefined ? {} : { file: (await upload(client, resolve(terminal.cwd, file), chosen)).id };
        return client.createVersion({ dataset, ...uploaded, ...declaration });
      });
      if (globals().json) return sayJson(terminal, version);
      say(terminal, `Version ${version.version} of ${name}: same people, same ledger, nothing reused from before.`);
    });
}

function defineAppend(command: Command, context: Context): void {
  const { terminal, globals } = context;
  readingOptions(command.command("append"))
    .description("more rows of one block: a new version; answers about other blocks are reused as before")
    .argument("<dataset>", "its name or id")
    .argument("<file>", FORMATS)
    .requiredOption("--block <period>", "the block that the rows belong to, such as 2024-01; others are dropped")
    .action(async (name: string, file: string, { block, ...flags }: { block: string } & ReadingFlags) => {
      const version = await withClient(context, async (client) => {
        const { id: dataset } = await findDataset(client, name);
        const { declaration } = await client.showDataset({ dataset });
        const uploaded = await upload(client, resolve(terminal.cwd, file), readingOf(flags, declaration));
        return client.appendRows({ dataset, file: uploaded.id, block });
      });
      if (globals().json) return sayJson(terminal, version);
      const dropped =
        version.dropped === 0 ? "" : `; ${countText(version.dropped, "row")} of other blocks or without a date dropped`;
      say(
        terminal,
        `Version ${version.version} of ${name}: ${countText(version.added, "row")} of ${block} came${dropped}.`,
      );
    });
}

function defineClose(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("close")
    .description(
      "close a block and all before it, where blocks are closed by hand: reports that waited for it are made",
    )
    .argument("<dataset>", "its name or id")
    .argument("<block>", "the last block to close, such as 2024-01; it is over")
    .action(async (name: string, block: string) => {
      const version = await withClient(context, async (client) =>
        client.closeBlocks({ dataset: (await findDataset(client, name)).id, block }),
      );
      if (globals().json) return sayJson(terminal, version);
      say(terminal, `Version ${version.version} of ${name}: closed up to ${block}.`);
    });
}

function defineVersions(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("versions")
    .description("when the rows or their declaration were replaced, and by whom")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const { items } = await withClient(context, async (client) =>
        client.listVersions({ dataset: (await findDataset(client, name)).id }),
      );
      if (globals().json) return sayJson(terminal, items);
      await sayTable(terminal, items, [
        { heading: "version", cell: ({ version }) => String(version), right: true },
        { heading: "since", cell: ({ createdAt }) => createdAt },
        { heading: "by", cell: ({ createdByName }) => createdByName },
      ]);
    });
}

function defineShow(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("show")
    .description("the declaration, the ledger and the accounts that I can spend from")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const dataset = await withClient(context, async (client) =>
        client.showDataset({ dataset: (await findDataset(client, name)).id }),
      );
      if (globals().json) return sayJson(terminal, dataset);
      await showDataset(terminal, dataset);
    });
}

function defineTables(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("tables")
    .description("tables in the folders of the server that its operator allows; for platform admins")
    .action(async () => {
      const { items } = await withClient(context, (client) => client.listServerFiles());
      if (globals().json) return sayJson(terminal, items);
      await sayTable(terminal, items, [
        { heading: "table", cell: ({ path }) => path },
        { heading: "bytes", cell: ({ bytes }) => String(bytes), right: true },
      ]);
    });
}

function defineAccess(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("access")
    .description("who administers and audits a dataset, and who holds an account on it, as far as I can see")
    .argument("<dataset>", "its name or id")
    .action(async (name: string) => {
      const { roles, accounts } = await withClient(context, async (client) => {
        const { id, ledger } = await findDataset(client, name);
        return {
          roles: (await client.listAccess({ dataset: id })).items,
          accounts: ledger === null ? [] : await listOf(client.all("listAccounts", { ledger: ledger.id })),
        };
      });
      if (globals().json) return sayJson(terminal, { roles, accounts });
      await sayTable(terminal, roles, [
        { heading: "who", cell: ({ personName }) => personName },
        { heading: "role", cell: ({ role }) => role },
      ]);
      await sayTable(terminal, accounts, [
        ...accountColumns.slice(0, 3),
        { heading: "left ε", cell: ({ balance }) => amount(balance.epsilon.left), right: true },
        { heading: "left δ", cell: ({ balance }) => amount(balance.delta.left), right: true },
        { heading: "status", cell: ({ status }) => status },
      ]);
    });
}

function defineConnections(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("connections")
    .description(
      "the databases that this server can read tables of; with one, its tables; with a table, its columns and never a value",
    )
    .argument("[connection]", "its name")
    .argument("[table]", "a table or view of it")
    .option("--schema <schema>", "when absent, public of PostgreSQL and default of Trino")
    .action(async (connection: string | undefined, table: string | undefined, { schema }: { schema?: string }) => {
      const at = schema === undefined ? {} : { schema };
      if (connection === undefined) {
        const { items } = await withClient(context, (client) => client.listConnections());
        if (globals().json) return sayJson(terminal, items);
        return sayTable(terminal, items, [
          { heading: "connection", cell: (one) => one.name },
          { heading: "kind", cell: (one) => one.kind },
        ]);
      }
      if (table === undefined) {
        const listing = await withClient(context, (client) => client.listTables({ connection, ...at }));
        if (globals().json) return sayJson(terminal, listing);
        return sayListing(terminal, listing);
      }
      const { columns } = await withClient(context, (client) => client.describeTable({ connection, table, ...at }));
      if (globals().json) return sayJson(terminal, columns);
      await sayTable(terminal, columns, [
        { heading: "column", cell: (column) => column.name },
        { heading: "type", cell: ({ type }) => type },
      ]);
    });
}

/** The tables of one schema, and which schemas there are. */
async function sayListing(terminal: Terminal, { schemas, tables, isWhole }: Output<"listTables">): Promise<void> {
  await sayTable(terminal, tables, [{ heading: "table", cell: (name) => name }]);
  sayFacts(terminal, [["schemas", schemas.join(", ")]]);
  if (!isWhole) say(terminal, "There are more; a table that is not listed can be named all the same.");
}

function defineList(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("list")
    .description("the datasets that I can see")
    .option("--text <text>", "those whose name holds it")
    .action(async ({ text }: { readonly text?: string }) => {
      const datasets = await withClient(context, (client) =>
        listOf(client.all("listDatasets", text === undefined ? {} : { text })),
      );
      if (globals().json) return sayJson(terminal, datasets);
      await sayTable(terminal, datasets, datasetColumns);
    });
}

interface Declared {
  /** The file to upload; null where the declaration's source is a table of a connection of the server. */
  readonly path: string | null;
  readonly declaration: Readonly<Record<string, unknown>>;
}

async function declare(file: string | undefined, flags: AddFlags, terminal: Terminal): Promise<Declared> {
  const declaration = applyFlags(await readDeclaration(flags, terminal.cwd), flags);
  const source = (declaration.source ?? {}) as Readonly<Record<string, unknown>>;
  if (isConnected(source) && file === undefined) return { path: null, declaration };
  const named = pathIn(source);
  const base = flags.declaration === undefined ? terminal.cwd : dirname(resolve(terminal.cwd, flags.declaration));
  const path = file === undefined ? named && resolve(base, String(named)) : resolve(terminal.cwd, file);
  if (typeof path !== "string") {
    invalid("file", undefined, "given, or named by the declaration's source");
  }
  if (flags.serverFile === undefined) await stat(path);
  return {
    path,
    declaration: {
      ...declaration,
      name: declaration.name ?? basename(path, extname(path)),
      source: overFile(source, uploadFormatOf(path), basename(path)),
    },
  };
}

/** How the text or the workbook of a file is read. */
type Reading = Pick<Input<"uploadFile">, "comment" | "encoding" | "sheet">;

const readingOf = ({ sheet, encoding }: ReadingFlags, declaration: Parameters<typeof commentOf>[0]): Reading => ({
  ...{ sheet, encoding },
  ...commentOf(declaration),
});

const bring = (client: Client, path: string, serverFile: string | undefined, reading: Reading): Promise<File> =>
  serverFile === undefined ? upload(client, path, reading) : client.importFile({ path: serverFile, ...reading });

/** Streams the file to the server; it answers the columns it found, never a value. */
export async function upload(client: Client, path: string, reading: Reading): Promise<File> {
  const blob = await openAsBlob(path);
  return client.uploadFile({ name: basename(path), content: blob.stream(), ...reading });
}

async function showDataset(terminal: Terminal, dataset: Dataset): Promise<void> {
  sayFacts(terminal, [
    ["dataset", dataset.name],
    ["id", dataset.id],
    ["protects", `${protectedText({ ...dataset, blocks: dataset.ledger?.blocks })} (${dataset.adjacency})`],
    ["population", dataset.population],
    ["ledger", dataset.ledger?.id ?? "not open yet"],
    ...(dataset.ledger === null
      ? []
      : ([
          ["lifetime", `ε ${dataset.ledger.epsilon}, δ ${dataset.ledger.delta}, ${dataset.ledger.rule}`],
          ["left", `ε ${dataset.ledger.balance.epsilon.left ?? "—"}`],
        ] as const)),
    ...(dataset.lineage?.rowSecurity ?? []).map(
      (table) => ["some rows only", `row-level security of ${table}`] as const,
    ),
    ...(dataset.lineage?.sameRows ?? []).map(
      ({ name, reason }) =>
        [
          "same rows",
          `${name ?? "another dataset"} has another ledger${reason === null ? "" : `: ${reason}`}`,
        ] as const,
    ),
  ]);
  const columns = dataset.declaration.columns as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  say(terminal);
  await sayTable(terminal, Object.entries(columns), [
    { heading: "column", cell: ([name]) => name },
    { heading: "label", cell: ([, column]) => String(column.label ?? "") },
    { heading: "type", cell: ([, column]) => String(column.type) },
    { heading: "may be", cell: ([, column]) => mayBe(column) },
    { heading: "missing", cell: ([, column]) => missingWords(column) },
    { heading: "known by", cell: ([, column]) => String(column.provenance) },
  ]);
  if (dataset.accounts.length === 0) return;
  say(terminal, `\n${paint(terminal, "bold", "Accounts that I can spend from")}`);
  await sayTable(terminal, dataset.accounts, accountColumns);
}

function mayBe({
  lower,
  upper,
  granularity,
  categories,
  unit,
  valueLabels,
}: Readonly<Record<string, unknown>>): string {
  const labels = (valueLabels ?? {}) as Readonly<Record<string, string>>;
  const named = (value: unknown) =>
    Object.hasOwn(labels, String(value)) ? `${value} = ${labels[String(value)]}` : String(value);
  if (Array.isArray(categories))
    return categories.length <= 8 ? categories.map(named).join(" | ") : `${categories.length} categories`;
  if (lower === undefined) return "";
  return `${lower} … ${upper}${unit === undefined ? "" : ` ${unit}`}${granularity === undefined ? "" : typeof granularity === "string" ? `, by ${granularity}` : `, step ${granularity}`}`;
}
