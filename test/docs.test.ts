import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
const text = (document: string) => readFileSync(join(root, document), "utf8");

interface Block {
  readonly language: string;
  /** What stands after the language: a file to write, `exit=3`, or `skip`. */
  readonly info: string;
  readonly code: string;
}

function blocksOf(document: string): readonly Block[] {
  return [...text(document).matchAll(/^```(\w+)[ ]*([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, language, info, code]) => ({
    language: language!,
    info: info!,
    code: code!,
  }));
}

describe("links", () => {
  const anchorOf = (heading: string) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
  const anchors = (document: string) =>
    new Set(
      [
        ...text(document)
          .replace(/^```[\s\S]*?^```$/gm, "")
          .matchAll(/^#+ (.+)$/gm),
      ].map(([, h]) => anchorOf(h!)),
    );

  test.each(documents)("%s points at files and headings that are there", (document) => {
    const broken = [
      ...text(document)
        .replace(/^```[\s\S]*?^```$/gm, "")
        .matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g),
    ]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? document : relative(root, resolve(root, dirname(document), path));
        if (!existsSync(join(root, file))) return true;
        return anchor !== undefined && !anchors(file).has(anchor);
      });
    expect(broken).toEqual([]);
  });
});

/** Walks one document: its blocks in order, in one folder, with the variables that each leaves behind. */
class Walk {
  readonly folder = mkdtempSync(join(tmpdir(), "docs-"));
  env: Record<string, string>;

  constructor(env: Record<string, string>) {
    const bin = join(this.folder, "bin");
    mkdirSync(bin);
    // `npx dosimeter` in a checkout is this very file; npm's own second per command is saved.
    const shim = `#!/bin/sh\n[ "$1" = dosimeter ] && shift\nexec "${process.execPath}" "${join(root, "packages/cli/bin/dosimeter.cjs")}" "$@"\n`;
    for (const name of ["npx", "dosimeter"]) writeFileSync(join(bin, name), shim, { mode: 0o755 });
    const { DOSIMETER_TOKEN: _token, DOSIMETER_URL: _url, DOSIMETER_DATA: _data, ...rest } = process.env;
    this.env = { ...(rest as Record<string, string>), ...env, PATH: bin + delimiter + process.env.PATH };
  }

  run({ language, info, code }: Block): string {
    if (language === "yaml" || language === "json") {
      writeFileSync(join(this.folder, info), code);
      return "";
    }
    const [command, ...args] = this.commandFor(language, code);
    const { status, stdout, stderr } = spawnSync(command!, args, {
      cwd: this.folder,
      env: this.env,
      encoding: "utf8",
      timeout: 120_000,
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
    if (language === "python") return ["python3", "-c", code];
    if (language === "r") return ["Rscript", "-e", code];
    return ["bash", "-euo", "pipefail", "-c", `${code}\nenv -0 > .env`];
  }
}

const walked: Walk[] = [];
function walk(env: Record<string, string> = {}): Walk {
  const one = new Walk(env);
  walked.push(one);
  return one;
}

afterAll(() => {
  for (const { folder } of walked) rmSync(folder, { recursive: true, force: true });
});

const has = (command: string, ...args: string[]) => {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};
const languages = {
  python: has("python3", "-c", "import requests") ? null : "python3 with requests is not here",
  r: has("Rscript", "-e", "library(httr2); library(jsonlite)") ? null : "R with httr2 and jsonlite is not here",
} as const;

test("every block is one that these tests run, or says that it is not", () => {
  for (const document of documents) {
    for (const { language, info, code } of blocksOf(document)) {
      expect(["sh", "sql", "yaml", "json", "python", "r", "text", "ts"], document).toContain(language);
      // What installs the project itself cannot run inside its own tests; `.ci/run` does it on a bare machine. What needs a
      // file, a database or minutes of its reader's has tests of its own.
      if (language === "sh" && info === "skip")
        expect(code, document).toMatch(/^(npm ci|(npx )?dosimeter (compute|audit|move|dataset add -d)\b)/);
      if (language === "yaml") expect(info, document).toMatch(/^[\w.-]+$/);
    }
  }
});

interface Serving {
  readonly url: string;
  readonly stop: () => Promise<unknown>;
}

/** `dosimeter serve` on a data folder; the commands of a document find it by the folder's lock. */
function serve(data: string, ...more: string[]): Promise<Serving> {
  const args = [
    join(root, "packages/cli/bin/dosimeter.cjs"),
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
    return ended;
  };
  return new Promise((started, failed) => {
    let said = "";
    server.stdout.on("data", (piece) => {
      said += piece;
      if (said.trimEnd().endsWith("}")) started({ url: JSON.parse(said).url, stop });
    });
    server.on("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
}

test("the guide's commands run, one after the other, on a data folder of their own", { timeout: 180_000 }, async () => {
  const guide = walk();
  const { stop } = await serve(join(guide.folder, "my-data"));
  let said: readonly string[] = [];
  try {
    said = blocksOf("docs/guide.md")
      .filter(({ info }) => info !== "skip")
      .map((block) => guide.run(block));
  } finally {
    await stop();
  }
  expect(said.join("\n")).toMatch(/largest (ε|epsilon) that would still fit/);
  expect(readFileSync(join(guide.folder, "spring-report.csv"), "utf8")).toMatch(/^id,statistic,column,sex,bin,value,/);
});

describe("with a server that has the demo", () => {
  const data = mkdtempSync(join(tmpdir(), "docs-data-"));
  let demo: Serving;

  beforeAll(async () => {
    demo = await serve(data, "--demo");
  });

  afterAll(async () => {
    await demo.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test("the README's commands run", { timeout: 120_000 }, () => {
    const readme = walk({ DOSIMETER_DATA: data });
    for (const block of blocksOf("README.md").filter(({ language, info }) => language === "sh" && info !== "skip")) {
      readme.run(block);
    }
  });

  for (const [language, missing] of Object.entries(languages)) {
    test.skipIf(missing !== null)(
      `the first walk runs in ${language}${missing ? ` (skipped: ${missing})` : ""}`,
      () => {
        const first = walk({ DOSIMETER_DATA: data, DOSIMETER_URL: demo.url });
        const blocks = blocksOf("docs/first-walk.md");
        first.run(blocks.find((block) => block.language === "sh")!);
        const code = blocks.find((block) => block.language === language)!;
        expect(code.code.trimEnd().split("\n").length).toBeLessThanOrEqual(15);
        const [once, twice] = [first.run(code), first.run(code)];
        expect(once).toMatch(/graduate \d+/);
        expect(once).toMatch(/left: 0\.\d+/);
        // The same key: the same answers, and nothing more is charged.
        expect(twice).toBe(once);
      },
    );
  }
});

test.runIf(existsSync(join(root, "docs/decisions.md")))("every dependency has its line in docs/decisions.md", () => {
  const folders = ["packages", "apps"].flatMap((home) =>
    readdirSync(join(root, home)).map((name) => join(root, home, name, "package.json")),
  );
  const named = [join(root, "package.json"), ...folders].flatMap((file) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, "utf8"));
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  const decided = text("docs/decisions.md");
  const undecided = new Set(
    named.filter((name) => !/^@(dosimeter|types)\//.test(name)).filter((name) => !mentions(decided, name)),
  );
  expect([...undecided]).toEqual([]);
});

/** By its own name, or by its family: `@mantine/*`. */
function mentions(decided: string, name: string): boolean {
  return (
    decided.includes(`\`${name}\``) || decided.includes(`\`${name.split("/")[0]}/*\``) || decided.includes(`\`${name}`)
  );
}
