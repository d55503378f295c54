import type { Client } from "@dosimeter/client";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findDataset, findListed, listOf } from "../find.ts";
import { protectedText } from "../show/columns.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";

/** `dosimeter dataset catalog`: the datasets that one may ask for, or what the catalogue says of one. */
export function defineCatalog(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("catalog")
    .description("the datasets that I cannot see and may ask for; with a name, what its admins say of it")
    .argument("[dataset]", "its name or id")
    .option("--text <text>", "those whose name holds it")
    .action(async (name: string | undefined, { text }: { readonly text?: string }) => {
      if (name !== undefined) return showListed(name, context);
      const listed = await withClient(context, (client) =>
        listOf(client.all("listCatalog", text === undefined ? {} : { text })),
      );
      if (globals().json) return sayJson(terminal, listed);
      await sayTable(terminal, listed, [
        { heading: "dataset", cell: (one) => one.name },
        { heading: "protects", cell: protectedText },
        { heading: "ask", cell: ({ stewards }) => stewards.join(", ") },
        { heading: "about", cell: ({ description }) => description.split("\n", 1)[0] ?? "" },
        { heading: "id", cell: ({ id }) => id },
      ]);
    });
}

async function showListed(name: string, context: Context): Promise<void> {
  const { terminal, globals } = context;
  const dataset = await withClient(context, async (client) =>
    client.showCatalogDataset({ dataset: await idOf(client, name) }),
  );
  if (globals().json) return sayJson(terminal, dataset);
  sayFacts(terminal, [
    ["dataset", dataset.name],
    ["id", dataset.id],
    ["protects", protectedText(dataset)],
    ["ask", dataset.stewards.join(", ")],
    ...(dataset.description === "" ? [] : [["about", dataset.description] as const]),
  ]);
  if (dataset.columns === null) return;
  say(terminal);
  await sayTable(terminal, dataset.columns, [
    { heading: "column", cell: (column) => column.name },
    { heading: "type", cell: ({ type }) => type },
    { heading: "label", cell: ({ label }) => label ?? "" },
    { heading: "about", cell: ({ description }) => description ?? "" },
  ]);
}

const idOf = async (client: Client, name: string): Promise<string> =>
  name.startsWith("dat_") ? name : (await findListed(client, name)).id;

interface ListingFlags {
  readonly on?: true;
  readonly off?: true;
  readonly columns?: boolean;
  readonly description?: string;
}

/** `dosimeter dataset listing`: shows or changes what the catalogue says of a dataset. */
export function defineListing(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("listing")
    .description("whether people who cannot see a dataset find it in the catalogue, and what it says there")
    .argument("<dataset>", "its name or id")
    .option("--on", "list it: its name, what it protects and who its admins are")
    .option("--off", "take it out of the catalogue")
    .option("--columns", "list the names, types and descriptions of its columns too")
    .option("--no-columns", "keep its columns to those who may see it")
    .option("--description <text>", "what people read before they ask")
    .action(async (name: string, { on, off, columns, description }: ListingFlags) => {
      const change = {
        ...(on || off ? { isListed: on === true } : {}),
        ...(columns === undefined ? {} : { showsColumns: columns }),
        ...(description === undefined ? {} : { description }),
      };
      const listing = await withClient(context, async (client) => {
        const { id: dataset } = await findDataset(client, name);
        return Object.keys(change).length === 0
          ? client.showListing({ dataset })
          : client.setListing({ dataset, ...change });
      });
      if (globals().json) return sayJson(terminal, listing);
      sayFacts(terminal, [
        ["in the catalogue", listing.isListed ? "yes" : "no"],
        ["with its columns", listing.showsColumns ? "yes" : "no"],
        ["description", listing.description === "" ? "none" : listing.description],
      ]);
    });
}
