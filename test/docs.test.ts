import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { routeNames } from "@dosimeter/client/routes";
import { errorCodes } from "@dosimeter/core";
import { describe, expect, test } from "vitest";
import { type Figure, figures } from "../apps/docs/figures/index.ts";
import { fileOf, startOf } from "../apps/docs/figures/markup.ts";
import { filled } from "../apps/docs/filled.ts";
import { anchorOf } from "../apps/docs/passages.ts";
import { sidebar } from "../apps/docs/sidebar.ts";
import { tables } from "../apps/docs/tables.ts";
import { blocksOf, documents, root, text } from "./docs.kit.ts";

describe("links", () => {
  const anchors = (document: string) =>
    new Set(
      [
        ...filled(text(document))
          .replace(/^```[\s\S]*?^```$/gm, "")
          .matchAll(/^#+ (.+)$/gm),
      ].map(([, h]) => anchorOf(h!)),
    );

  test.each(documents)("%s points at files and headings that are there", (document) => {
    const broken = [
      ...filled(text(document))
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

test.each(["README.md", "docs/comparison.md"])("what %s says was measured stands in bench/RESULTS.md", (document) => {
  const section = /^## (What is special|Measured)\n([\s\S]*?)(?=^## )/m.exec(`${text(document)}\n## `)?.[2] ?? "";
  const said = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .flatMap((line) => line.replace(/\[[^\]]*\]\([^)]*\)/g, "").match(/\d[\d,]*(\.\d+)*/g) ?? []);
  expect(said.length).toBeGreaterThan(10);
  const results = text("bench/RESULTS.md")
    .replaceAll(",", "")
    .replaceAll("1.4e-11", "1.4 · 10 e-11")
    .replaceAll("⁻¹¹", "");
  // Plain words of the job that was measured, and a share that RESULTS calls p99.
  const given = new Set(["99"]);
  expect(said.filter((number) => !given.has(number) && !results.includes(number.replaceAll(",", "")))).toEqual([]);
});

describe("docs/comparison.md", () => {
  const page = text("docs/comparison.md");
  const cites = (words: string) => [...words.matchAll(/\[(S\d+)\]\(sources\.md#s\d+\)/g)].map(([, source]) => source);

  test("what the table says about others is cited, or said not to be known", () => {
    const [, table = ""] = /^## In one table\n([\s\S]*?)\n\n–/m.exec(page) ?? [];
    const others = table.split("\n").filter((line) => /^\| \*\*(?!Dosimeter)/.test(line));
    expect(others.length).toBeGreaterThan(5);
    for (const row of others)
      for (const cell of row.split("|").slice(2, -1))
        expect(cell.trim() === "–" || cites(cell).length > 0, `${row}\n${cell}`).toBe(true);
  });

  test("every source has a quotation, a document and an address or a test, and is cited", () => {
    const [, ...sources] = text("docs/sources.md").split(/^### (?=S\d+$)/m);
    expect(sources.length).toBeGreaterThan(15);
    for (const source of sources) {
      expect(source).toMatch(/^S\d+\n\n> \S.{20,250}\n\n\S/);
      expect(source).toMatch(/<https:|The same (page|file)|November 2026/);
    }
    const names = sources.map((source) => source.split("\n")[0]);
    expect([...new Set(cites(page))].toSorted()).toEqual(names.toSorted());
  });
});

test("every page of docs/ stands in the sidebar once", () => {
  const pages = documents.flatMap((document) => /^docs\/(.+)\.md$/.exec(document)?.[1] ?? []);
  // The build makes these of the code or of a larger page, or takes them from files that stand elsewhere.
  const others = /^(sdk\/.+|math\/.+|cli|metrics|inside\/contributing|trust\/benchmarks)$/;
  const named = sidebar.flatMap((group) => group.pages).filter((page) => !others.test(page));
  expect(named.toSorted()).toEqual(pages.toSorted());
});

/** What the pages show: strings, beginnings of templates, and what stands between tags. */
function shownTexts(): readonly string[] {
  const sources = ["apps/web/src", "packages/planner/src"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
      .map((file) => text(join(folder, file))),
  );
  const pieces = [/"([^"\n]*)"/g, /`([^`$]+)/g, /[>}]([^<>{}]+)(?=[<{])/g];
  return sources.flatMap((source) =>
    pieces.flatMap((piece) => [...source.matchAll(piece)].map(([, one = ""]) => one.trim().replaceAll(/\s+/g, " "))),
  );
}

test("what Start, Learn and Do quote of the pages in italics is there", () => {
  // Of the demo's people, of providers' own pages, and what stands in the place of a name.
  const others = /^(Continue as \w+|Provisioning|SCIM connector base URL|HTTP Header|Work \(SCIM\)|Erased)$/;
  const shown = shownTexts();
  const exactly = new Set(shown);
  const pages = sidebar
    .filter(({ label }) => /^(Start|Learn|Do)$/.test(label))
    .flatMap((group) => group.pages.map((page) => `docs/${page}.md`));
  const quoted = pages.flatMap((page) => {
    const prose = text(page).replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, "");
    return [...prose.matchAll(/(?<![*\w])\*([A-Z][^*]*)\*(?!\*)/g)].flatMap(([, words = ""]) =>
      words
        .replaceAll(/\s+/g, " ")
        .split(" → ")
        .map((name) => ({ page, name })),
    );
  });
  expect(quoted.length).toBeGreaterThan(50);
  const isShown = (name: string) => {
    const begin = name.replace(/ …$/, "");
    return exactly.has(begin) || (begin.includes(" ") && shown.some((one) => one.startsWith(`${begin} `)));
  };
  expect(quoted.filter(({ name }) => !others.test(name) && !isShown(name))).toEqual([]);
});

test("docs/inside/architecture.md has every package, in its table and its picture, with what it imports", () => {
  const said = new Map(
    [...text("docs/inside/architecture.md").matchAll(/^\| `([\w-]+)` \| .+ \| (.+) \|$/gm)].map(
      ([, name = "", imports = ""]) => [name, [...imports.matchAll(/`([\w-]+)`/g)].map(([, other = ""]) => other)],
    ),
  );
  const packages = readdirSync(join(root, "packages"));
  expect([...said.keys()].toSorted()).toEqual(packages.toSorted());
  const picture = text("docs/figures/architecture.svg");
  for (const name of packages) {
    const { dependencies = {} } = JSON.parse(text(`packages/${name}/package.json`));
    const others = Object.keys(dependencies).filter((other) => other.startsWith("@dosimeter/"));
    expect(said.get(name), name).toEqual(others.map((other) => other.slice("@dosimeter/".length)).toSorted());
    expect(picture).toMatch(new RegExp(`font-weight="600"[^>]*>[^<]*\\b${name}\\b`));
  }
});

test("every file that docs/trust/how-it-is-tested.md names is there", () => {
  const files = [...text("docs/trust/how-it-is-tested.md").matchAll(/`((?:test|packages)\/[^`]+)`/g)].map(
    ([, file = ""]) => file,
  );
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("the book fills in every route, every code and the paper in their pages", () => {
  const [api, errors, risk] = ["api", "errors", "privacy-at-risk"].map((name) => filled(text(`docs/${name}.md`)));
  for (const name of routeNames) expect(api).toContain(`| \`${name}\` | `);
  for (const code of Object.keys(errorCodes)) expect(errors).toContain(`## ${code}\n`);
  expect(risk).toContain("## Sixteen errata");
});

test.each(tables)(
  "$page has the table of $name as the code makes it (UPDATE_DOCS=1 writes it)",
  ({ page, name, made }) => {
    const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const [before = "", rest = ""] = text(page).split(start);
    const [listed, after = ""] = rest.split(end);
    if (import.meta.env.UPDATE_DOCS) writeFileSync(join(root, page), `${before}${start}${made()}${end}${after}`);
    else expect(listed).toBe(made());
  },
);

test("docs/learn/epsilon.md rounds what ε means upwards", () => {
  const rows = [...text("docs/learn/epsilon.md").matchAll(/^\| ([\d.]+) \| ([\d.]+) in 100 \| ([\d.]+) times \|$/gm)];
  expect(rows.length).toBe(5);
  for (const [, epsilon, won, factor] of rows) {
    const e = Math.exp(Number(epsilon));
    const isUp = (said: string | undefined, exact: number, step: number) =>
      Number(said) >= exact && Number(said) - exact < step;
    expect([epsilon, isUp(won, (100 * e) / (1 + e), 0.1)]).toEqual([epsilon, true]);
    expect([epsilon, isUp(factor, e, e > 100 ? 1 : 0.01)]).toEqual([epsilon, true]);
  }
});

test.each(Object.entries<Figure>(figures))(
  "docs/figures/%s.svg is the figure as it begins (UPDATE_DOCS=1 writes it)",
  (name, figure) => {
    const file = `docs/figures/${name}.svg`;
    if (import.meta.env.UPDATE_DOCS) writeFileSync(join(root, file), fileOf(figure));
    else expect(text(file)).toBe(fileOf(figure));
    expect(documents.some((document) => text(document).includes(`figures/${name}.svg)`))).toBe(true);
  },
);

test.each(Object.entries<Figure>(figures))(
  "the figure %s can be drawn at every stop, on a phone and on a page",
  (_, figure) => {
    const startAt = startOf(figure);
    for (const [index, { stops, start }] of figure.controls.entries()) {
      expect(stops).toContain(start);
      expect(stops).toEqual(stops.toSorted((one, other) => one - other));
      // Of a slider with hundreds of stops a dozen, and both ends.
      const every = Math.ceil(stops.length / 12);
      for (const stop of stops.filter((_, at) => at % every === 0 || at === stops.length - 1)) {
        for (const width of [300, 720]) {
          const chart = figure.draw(startAt.with(index, stop), { width });
          expect(chart.summary.replaceAll(",", "")).toContain(String(stop));
          expect(JSON.stringify(chart)).not.toMatch(/NaN|Infinity|undefined/);
          expect(JSON.stringify(chart.scene.nodes)).not.toContain('"cx":null');
        }
      }
    }
  },
);

test("every block is one that these tests run, or says that it is not", () => {
  for (const document of documents) {
    for (const { language, info } of blocksOf(document)) {
      expect(["diff", "sh", "sql", "yaml", "json", "python", "r", "text", "ts"], document).toContain(language);
      // What installs the project, audits for minutes or needs a database of the reader's own names the tests that run it
      // (`docs-blocks.test.ts`).
      if (language === "sh") expect(info, document).toMatch(/^(exit=\d+|by=[\w./,-]+)?$/);
      if (language === "yaml") expect(info, document).toMatch(/^[\w.-]+$/);
    }
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
