import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientEnv, installR, named, python, whyNoModule, whyNot } from "./clients.kit.ts";
import { type Block, blocksOf, commandEnv, documents, root } from "./docs.kit.ts";
import { temporaryFolder } from "./folder.kit.ts";
import { within } from "./within.kit.ts";

/** Walks one document: its blocks in order, in one folder, with the variables that each leaves behind. */
class Walk {
  readonly folder = temporaryFolder();
  env: Record<string, string>;

  constructor(env: Record<string, string>) {
    this.env = { ...commandEnv(this.folder), ...env };
  }

  run({ language, info, code }: Block): string {
    if (language === "yaml" || language === "json") {
      writeFileSync(join(this.folder, info), code);
      return "";
    }
    const [command, ...args] = this.commandFor(language, code);
    const { status, stdout, stderr } = spawnSync(command!, args, {
      cwd: language === "ts" ? root : this.folder, // where a program finds its packages
      env: this.env,
      encoding: "utf8",
      timeout: 180_000,
    });
    const wanted = Number(/exit=(\d+)/.exec(info)?.[1] ?? 0);
    if (status !== wanted) throw new Error(`exit ${status}, not ${wanted}:\n${code}\n${stdout}\n${stderr}`);
    const kept = join(this.folder, ".env");
    if (language === "sh" && existsSync(kept)) {
      this.env = Object.fromEntries(
        readFileSync(kept, "utf8")
          .split("\0")
          .filter((line) => line.includes("="))
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
    }
    return stdout;
  }

  private commandFor(language: string, code: string): readonly string[] {
    if (language === "python") return [python, "-c", code];
    if (language === "ts") return [process.execPath, "--input-type=module-typescript", "-e", code];
    if (language === "r") return ["Rscript", "-e", code];
    return ["bash", "-euo", "pipefail", "-c", `${code}\nenv -0 > .env`];
  }
}

/** Not what other tests run, which its marker names. */
const isRun = ({ info }: Block): boolean => !info.startsWith("by=");

const walked: Walk[] = [];
function walk(env: Record<string, string> = {}): Walk {
  const one = new Walk(env);
  walked.push(one);
  return one;
}

const languages = { python: whyNot("python"), r: whyNot("r") } as const;

interface Serving {
  readonly url: string;
  readonly stop: () => Promise<unknown>;
}

/** `dosimeter serve` on a data folder; the commands of a document find it by the folder's lock. */
function serve(data: string, ...more: string[]): Promise<Serving> {
  const args = [
    join(root, "packages/dosimeter/bin/dosimeter.cjs"),
    "serve",
    "--port",
    "0",
    "--data",
    data,
    "--json",
    ...more,
  ];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const stop = () => {
    server.kill("SIGINT");
    return within("the end of the server", ended);
  };
  let said = "";
  const started = new Promise<Serving>((started, failed) => {
    server.stdout.on("data", (piece) => {
      said += piece;
      if (said.trimEnd().endsWith("}")) started({ url: JSON.parse(said).url, stop });
    });
    server.on("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
  return within(() => `the start of the server, which said ${JSON.stringify(said)},`, started);
}

test("the guide's commands run, one after the other, on a data folder of their own", async () => {
  const guide = walk();
  const { stop } = await serve(join(guide.folder, "my-data"));
  let said: readonly string[] = [];
  try {
    said = blocksOf("docs/guide.md")
      .filter(isRun)
      .map((block) => guide.run(block));
  } finally {
    await stop();
  }
  expect(said.join("\n")).toMatch(/largest (ε|epsilon) that would still fit/);
  expect(readFileSync(join(guide.folder, "spring-report.csv"), "utf8")).toMatch(
    /^id,statistic,label,column,sex,bin,value,/,
  );
});

test("the pages about a team's budget run, one after the other, and end in a refusal and a request", async () => {
  const team = walk();
  const { stop } = await serve(join(team.folder, "team-data"));
  let said = "";
  try {
    for (const block of ["docs/do/give-a-budget.md", "docs/do/budget-spent.md"].flatMap(blocksOf))
      said += team.run(block);
  } finally {
    await stop();
  }
  expect(said).toMatch(/Refused .*The largest epsilon that would still fit is 0\.1\..*\[QUOTA_EXHAUSTED\]/);
});

test("the page about public answers makes a link, ends it, and puts the answer on a dashboard", async () => {
  const page = walk();
  const { stop } = await serve(join(page.folder, "public-data"));
  try {
    const said = blocksOf("docs/do/publish-an-answer.md").map((block) => page.run(block));
    expect(said.join("\n")).toMatch(/\/public\/answers\/pub_[0-9a-z]{32}\b[\s\S]*done\b[\s\S]*Council/);
  } finally {
    await stop();
  }
});

test("the recipes run in one data folder, one after the other, and the auditor finds that it adds up", async () => {
  const recipes = walk();
  const { stop } = await serve(join(recipes.folder, "recipes"));
  const said = new Map<string, string>();
  try {
    for (const name of [
      ...["income-by-region", "survey", "hospital-visits", "monthly-visits", "choose-epsilon"],
      "answer-an-auditor",
    ]) {
      delete recipes.env.DOSIMETER_TOKEN;
      const printed = blocksOf(`docs/do/${name}.md`).map((block) => recipes.run(block));
      said.set(name, printed.join("\n"));
    }
  } finally {
    await stop();
  }
  expect(readFileSync(join(recipes.folder, "incomes-by-region.csv"), "utf8").match(/,north,/g)).toHaveLength(2);
  expect(said.get("survey")).toMatch(/unsure/);
  expect(said.get("hospital-visits")).toMatch(/^2026-06\t\d+$/m);
  expect(said.get("monthly-visits")).toMatch(
    /In 2023-03, the first block without room: .*largest epsilon that would still fit is 0\.1\./,
  );
  expect(said.get("monthly-visits")).toContain(
    "1 row of 2024-01 came; 1 row of other blocks or without a date dropped.",
  );
  expect(said.get("choose-epsilon")).toMatch(/"epsilon":0\.0981\d*[\s\S]*"epsilon":2\.4575/);
  // Of the ledger's own check and of the one that shares no code with it.
  expect(said.get("answer-an-auditor")?.match(/\bok\b/g)?.length).toBeGreaterThanOrEqual(2);
});

test("the commands of the page about ε print what it says", () => {
  const page = walk();
  const [bet = "", error = ""] = blocksOf("docs/learn/epsilon.md").map((block) => page.run(block));
  expect(JSON.parse(bet).value).toMatchObject({
    balancedAccuracy: 0.7310585786300049,
    greatestLikelihoodRatio: Math.E,
  });
  expect(JSON.parse(error).value).toBe(30);
});

test("the commands of the other pages to learn from print what they say", () => {
  const page = walk();
  const pages = documents.filter((document) => /^docs\/learn\/(?!epsilon)/.test(document));
  const run = (document: string) => blocksOf(document).filter(({ language }) => language !== "text");
  const said = new Map(pages.map((document) => [document, run(document).map((block) => page.run(block))]));
  const value = (name: string, at = 0) => JSON.parse(said.get(`docs/learn/${name}.md`)?.[at] ?? "{}").value;
  expect(value("noise")).toBe(60);
  expect(value("composition").epsilon).toBeCloseTo(4.7745676, 6);
  expect(value("tradeoff-curves").balancedAccuracy).toBeCloseTo(0.7310586, 6);
  expect(value("blocks")).toBeCloseTo(25.6552, 4);
  expect(JSON.stringify(value("blocks", 1))).toContain("true");
  expect(said.get("docs/learn/blocks.md")?.[2]).toContain("one lifetime\tpress\t8\t3\tmonth 12");
});

test("the commands and the program of the page about accountants run", () => {
  const page = walk();
  const [program, blocks, spends] = blocksOf("docs/accounting.md").filter(({ language }) => /^(ts|sh)$/.test(language));
  expect(page.run(program!).trim().split("\n")).toHaveLength(4);
  expect(page.run(blocks!)).toMatch(/"epsilon":6,/);
  expect(page.run(spends!)).toMatch(/^200 spends, total at delta 1e-5\n[\s\S]*\nthe least\t2\.92934 by Optimal/);
  expect(existsSync(join(page.folder, "over-time.svg"))).toBe(true);
});

describe("with a server that has the demo", () => {
  const data = temporaryFolder();
  const library = temporaryFolder();
  let demo: Serving;

  beforeAll(async () => {
    demo = await serve(data, "--demo");
    if (languages.r === null) await installR(library);
  });

  afterAll(() => demo.stop());

  test("the README's commands run", () => {
    const readme = walk({ DOSIMETER_DATA: data });
    for (const block of blocksOf("README.md").filter((one) => one.language === "sh" && isRun(one))) readme.run(block);
  });

  test("the commands of the page about SQL run", () => {
    const page = walk({ DOSIMETER_DATA: data });
    const said = blocksOf("docs/sql.md")
      .filter(({ language }) => language === "sh")
      .map((block) => page.run(block));
    expect(said.join("\n")).toMatch(/^sex\tavg_income$/m);
  });

  test("the pages about earlier answers, saved plans and HTTP run: a mean is free, a file is a plan, a key is charged once", () => {
    const said = ["reuse", "planning", "api"].map((name) => {
      const page = walk({ DOSIMETER_DATA: data, DOSIMETER_URL: demo.url });
      return blocksOf(`docs/${name}.md`)
        .filter(({ language, info }) => /^(sh|ts)$/.test(language) || info === "plan.json")
        .map((block) => page.run(block));
    });
    const [[reuse = ""] = [], [, plan = ""] = [], [http = "", program = ""] = []] = said;
    expect(reuse).toMatch(
      /Free: worked out from “sum of Age where married = true” and “count of Age where married = true”/,
    );
    expect(reuse).toMatch(/cost\tε 0\n/);
    expect(plan).toMatch(/cost\tε 0\.02\n/);
    const [, value = ""] = /"cells":\[\{"group":\{\},"value":(-?\d+)/.exec(http) ?? [];
    expect(program).toMatch(/^true The answer will be within ± 300 in 95 of 100 cases\. /);
    expect(program.trim().split(" ").at(-1)).toBe(value);
  });

  test.skipIf(languages.python !== null)(
    named("the page about other tools runs, with those that are here", languages.python),
    () => {
      const page = walk({ DOSIMETER_DATA: data, DOSIMETER_URL: demo.url, ...clientEnv(library) });
      const blocks = blocksOf("docs/do/every-tool.md").filter(({ language }) => language !== "text");
      const tools = blocks.map(({ code }) => /^(?:import|from) (opendp|diffprivlib|dp_accounting)/m.exec(code)?.[1]);
      expect(tools).toEqual([undefined, undefined, "opendp", "diffprivlib", "dp_accounting"]);
      const said = blocks
        .filter((_, i) => tools[i] === undefined || whyNoModule(tools[i]) === null)
        .map((one) => page.run(one));
      expect(said[1]).toMatch(/^Cost: ε = 0\.0\d+.*\npaid: ε = 0\.0\d+, μ² = /);
    },
  );

  for (const [language, missing] of Object.entries(languages)) {
    const clients = () => ({ DOSIMETER_DATA: data, DOSIMETER_URL: demo.url, ...clientEnv(library) });
    const token = blocksOf("docs/first-walk.md").find((block) => block.language === "sh");

    test.skipIf(missing !== null)(named(`the first walk runs in ${language}`, missing), () => {
      const first = walk(clients());
      first.run(token!);
      const code = blocksOf("docs/first-walk.md").find((block) => block.language === language)!;
      expect(code.code.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
      const [once, twice] = [first.run(code), first.run(code)];
      expect(once).toMatch(/graduate \d+/);
      expect(once).toMatch(/left: 0\.\d+/);
      // The same key: the same answers, and nothing more is charged. A quote says what would be left, which has changed.
      const answered = (said: string) => said.split("\n").filter((line) => !line.startsWith("Cost:"));
      expect(answered(twice)).toEqual(answered(once));
    });

    test.skipIf(missing !== null)(named(`the page about ${language} runs`, missing), () => {
      const page = walk(clients());
      page.run(token!);
      const documents = [`docs/${language}.md`, `clients/${language}/README.md`];
      const said = documents
        .flatMap(blocksOf)
        .filter((block) => block.language === language)
        .map((block) => page.run(block));
      expect(said.join("\n")).toMatch(/0\.8540859/);
    });
  }
});
