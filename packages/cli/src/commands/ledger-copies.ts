import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { PublicGuarantee } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { Command } from "commander";
import { withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { findDataset, findLedger } from "../find.ts";
import { ledgerFacts, protectedText } from "../show/columns.ts";
import { say, sayFacts, sayJson, sayTable } from "../terminal/output.ts";

/** `dosimeter ledger import | publish | public`: exports and imports of a ledger. */
export function defineCopies(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("import")
    .description("take over all that an exported ledger has spent, verified; frozen until two people reopen it")
    .argument("<dataset>", "its name or id: about the same people, without a ledger yet")
    .argument("<file>", "an export, as dosimeter ledger export wrote it")
    .option("--key <fingerprint>", "the key that must have signed it; this server's own when absent")
    .action(async (name: string, file: string, { key }: { key?: string }) => {
      const content = await readFile(resolve(terminal.cwd, file)).catch(() => {
        invalid("file", file, "an export that can be read");
      });
      const ledger = await withClient(context, async (client) =>
        client.importLedger({
          dataset: (await findDataset(client, name)).id,
          content: Uint8Array.from(content),
          ...(key === undefined ? {} : { key }),
        }),
      );
      if (globals().json) return sayJson(terminal, ledger);
      sayFacts(terminal, ledgerFacts(terminal, ledger));
      say(terminal, `Frozen. When the original has stopped: dosimeter ledger reopen ${name} --epsilon 0 --reason …`);
      say(terminal, "It opens when a second admin gives the same amounts.");
    });

  command
    .command("publish")
    .description("let anyone read what is promised about a dataset's people, without signing in")
    .argument("<dataset>", "its name or id")
    .option("--off", "no one any more")
    .action(async (name: string, { off }: { off?: true }) => {
      const ledger = await withClient(context, async (client) =>
        client.setPublication({ ledger: (await findLedger(client, name)).id, isPublic: !off }),
      );
      if (globals().json) return sayJson(terminal, ledger);
      say(terminal, ledger.isPublic ? `Public: dosimeter ledger public ${ledger.population}` : "Not public.");
    });

  command
    .command("public")
    .description("what is promised about a population whose admin has made it public; needs no account")
    .argument("<population>", "its id")
    .action(async (population: string) => {
      const shown = await withClient(context, (client) => client.showPublicGuarantee({ population }));
      if (globals().json) return sayJson(terminal, shown);
      say(terminal, shown.sentence);
      sayFacts(terminal, factsOf(shown));
      await sayTable(terminal, shown.versions, [
        { heading: "version", cell: ({ version }) => String(version), right: true },
        { heading: "at", cell: ({ at }) => at.replace(/\.\d+Z$/, "Z") },
        { heading: "ε", cell: ({ epsilon }) => epsilon, right: true },
        { heading: "δ", cell: ({ delta }) => delta, right: true },
      ]);
    });
}

const factsOf = ({ name, privacyUnit, blocks, epsilon, delta, ceiling, rule, head }: PublicGuarantee) =>
  [
    ["population", name],
    ["one unit is", protectedText({ privacyUnit, blocks })],
    ["lifetime", `ε ${epsilon}, δ ${delta}`],
    ["ceiling", `ε ${ceiling.epsilon}, δ ${ceiling.delta}`],
    ["rule", rule],
    ["lines", String(head.number)],
    ["head", head.hash],
  ] as const;
