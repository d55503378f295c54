import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { PrivacyError } from "@dosimeter/core";
import { runningInstance } from "@dosimeter/server/running";
import type { Command } from "commander";
import { dataFolder, withClient } from "../connect.ts";
import type { Context } from "../context.ts";
import { sayJson } from "../terminal/output.ts";
import { byName, sayLinks } from "./serve.ts";
import { tellStory } from "./story.ts";

/** `dosimeter demo`: a guided tour in the terminal, in a temporary folder. `demo links` is for a running server. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .command("tell", { isDefault: true })
    .description("tell the whole story, in a folder that is thrown away")
    .action(async () => {
      const folder = await mkdtemp(join(tmpdir(), "dosimeter-demo-"));
      try {
        const quiet = { ...terminal, out: new PassThrough().resume(), isInteractive: false };
        const summary = await tellStory(globals().json ? quiet : terminal, folder);
        if (globals().json) sayJson(terminal, summary);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });

  command
    .command("links")
    .description("new one-time sign-in links for the demo people of the server that runs")
    .action(async () => {
      const hasUrl = globals().url !== undefined || terminal.env.DOSIMETER_URL !== undefined;
      if (!hasUrl && (await runningInstance(dataFolder(context))) === null) {
        throw new PrivacyError(
          "NOT_FOUND",
          {},
          "no server runs on this data folder; start one with `npm start` or `dosimeter serve --demo`",
        );
      }
      const links = byName((await withClient(context, (client) => client.createDemoLinks())).items);
      if (globals().json) return sayJson(terminal, links);
      sayLinks(terminal, links);
    });
}
