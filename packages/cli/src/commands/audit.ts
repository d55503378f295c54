import { casesText, invalid } from "@dosimeter/core";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { exitCodes } from "../exit.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";
import { paint, progressBar } from "../terminal/terminal.ts";

interface AuditFlags {
  readonly pairs: string;
  readonly draws: string;
  readonly seed: string;
}

const CHECK =
  "A check, not a proof: it can find a fault, it cannot show that there is none. A bound below the claim is what a sound mechanism gives.";

/** `dosimeter audit`: sensitivity fuzzing and replayed noise on this installation. A finding ends with code 1. */
export function define(command: Command, { terminal, globals, endWith }: Context): void {
  command
    .option("--pairs <n>", "pairs of made-up neighbouring tables", "500")
    .option("--draws <n>", "draws of every noise, on each of two tables", "50000")
    .option("--seed <n>", "of the made-up tables: the same number makes the same ones", "1")
    .action(async (flags: AuditFlags) => {
      const { selfAudit } = await import("@dosimeter/server");
      const bars = new Map<string, (done: number) => void>();
      const audit = await selfAudit({
        pairs: count(flags.pairs, "--pairs", 1, 100_000),
        draws: count(flags.draws, "--draws", 1000, 10_000_000),
        seed: count(flags.seed, "--seed", 0, 2 ** 31 - 1),
        progress(stage, done, total) {
          const bar = bars.get(stage) ?? progressBar(terminal, stage, total);
          bars.set(stage, bar);
          bar(done);
        },
      });
      if (!audit.passed) endWith(exitCodes.failed);
      if (globals().json) return sayJson(terminal, { ...audit, note: CHECK });
      say(
        terminal,
        paint(terminal, "bold", "How far one person moves the exact integers, as a share of what is declared"),
      );
      await sayTable(terminal, audit.sensitivities, [
        { heading: "statistic", cell: ({ statistic }) => statistic },
        { heading: "pairs", cell: ({ pairs }) => String(pairs), right: true },
        { heading: "largest", cell: ({ largest }) => largest.toFixed(3), right: true },
        { heading: "beyond", cell: ({ violations }) => String(violations), right: true },
      ]);
      const sure = `all at once ${casesText(audit.noise[0]?.confidence ?? 0)}`;
      const proved = `What an attacker proves from the noise, and the claim (${sure})`;
      say(terminal, `\n${paint(terminal, "bold", proved)}`);
      await sayTable(terminal, audit.noise, [
        { heading: "statistic", cell: ({ statistic }) => statistic },
        { heading: "noise", cell: ({ noise }) => noise },
        {
          heading: "claimed",
          cell: ({ parameter, claimed, delta }) =>
            `${symbols[parameter]} ${claimed.toFixed(3)}${delta > 0 ? `, δ ${delta}` : ""}`,
          right: true,
        },
        { heading: "at least", cell: ({ atLeast }) => atLeast.toFixed(3), right: true },
      ]);
      const verdict = audit.passed
        ? "Nothing contradicts the claims."
        : "Something contradicts the claims: do not release with this installation.";
      say(terminal, `\n${paint(terminal, audit.passed ? "green" : "red", verdict)} ${CHECK}`);
    });
}

const symbols = { epsilon: "ε", mu: "μ" } as const;

function count(text: string, name: string, least: number, most: number): number {
  if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  invalid(name, text, `a whole number from ${least} to ${most}`);
}
