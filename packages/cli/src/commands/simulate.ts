import { type CalendarUnit, type Course, openTerms, ruleNames, simulate } from "@dosimeter/core";
import { budgetCourseChart, courseText } from "@dosimeter/plot";
import type { Command } from "commander";
import { oneOf } from "../calc/readers.ts";
import type { Context } from "../context.ts";
import { readDuration, readReport, readTeam } from "../flags/simulation.ts";
import { collect } from "../flags/values.ts";
import { checkChartFile, writeChartFile } from "../show/chart-file.ts";
import { say, sayJson, sayTable } from "../terminal/output.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface Flags {
  readonly for: string;
  readonly epsilon: string;
  readonly delta: string;
  readonly rule: string;
  readonly team: readonly string[];
  readonly report: readonly string[];
  readonly plot?: string;
}

/** `dosimeter simulate`: when a budget runs out under repeated reports, as one lifetime and as blocks. Needs no server. */
export function define(command: Command, context: Context): void {
  const { terminal, globals } = context;
  command
    .requiredOption("--for <duration>", "how many blocks, and what one is: 24 months")
    .requiredOption("--epsilon <epsilon>", "ε of each block; of the whole time, for the comparison with one lifetime")
    .option("--delta <delta>", "δ of the same", "1e-6")
    .option("--rule <rule>", "addition, or tight: needed for Gaussian noise", "addition")
    .requiredOption("--team <share>", "a team and its part of the budget: 'research 40%' (again for each)", collect)
    .requiredOption(
      "--report <report>",
      "who pays what, over how many of the latest blocks, how often: 'research: 0.05 over 12 every 3', or a total that goes on: 'press: gaussian 30 horizon 24' (again for each)",
      collect,
    )
    .option("--plot <file>", "write both courses as .svg or .png")
    .action(async (flags: Flags) => {
      checkChartFile(flags.plot);
      const { blocks, every } = readDuration(flags.for);
      const rule = oneOf(ruleNames).read(flags.rule, "--rule");
      const terms = openTerms({ epsilon: flags.epsilon, delta: flags.delta, rule });
      const teams = flags.team.map((text) => readTeam(text, terms));
      const course = simulate({ blocks, terms, teams, reports: flags.report.map(readReport) });
      await writeChartFile(flags.plot, terminal.cwd, (size) =>
        budgetCourseChart({ title: "One lifetime against blocks", every, course }, size),
      );
      if (globals().json) return sayJson(terminal, { every, ...course });
      await show(terminal, every, course);
    });
}

async function show(terminal: Terminal, every: CalendarUnit, course: Course): Promise<void> {
  const rows = [
    { budget: "one lifetime", of: course.lifetime },
    { budget: `each ${every}`, of: course.blocks },
  ].flatMap(({ budget, of }) => of.teams.map((team) => ({ budget, ...team })));
  await sayTable(terminal, rows, [
    { heading: "budget", cell: ({ budget }) => budget },
    { heading: "team", cell: ({ team }) => team },
    { heading: "reports", cell: ({ due }) => String(due), right: true },
    { heading: "paid", cell: ({ paid }) => String(paid), right: true },
    {
      heading: "first refusal",
      cell: ({ firstRefusal }) => (firstRefusal === null ? "none" : `${every} ${firstRefusal.block}`),
    },
  ]);
  say(terminal, `\n${courseText(every, course)}`);
  const most = Math.max(...course.blocks.used);
  say(
    terminal,
    `In the end the lifetime is spent to ${percent(course.lifetime.used.at(-1) ?? 0)}, and the fullest ${every} to ${percent(most)}.`,
  );
}

/** Rounded up: nothing looks emptier than it is. */
const percent = (share: number): string => `${Math.ceil(share * 100 - 1e-9)} %`;
