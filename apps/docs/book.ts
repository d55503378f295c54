import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Loader } from "astro/loaders";
import { metricRows } from "../../packages/server/src/telemetry/metrics.ts";
import { commandsPage } from "./cli.ts";
import { errorPages } from "./errors.ts";
import { markupOf } from "./figures/markup.ts";
import { filled } from "./filled.ts";
import { mathChapters, mathPages, placeOf } from "./math.ts";
import { questionsOf } from "./passages.ts";
import { sdkPages } from "./sdk.ts";

/** The drawn architecture as it stands in a page: in the paints of the page's theme, which `FIGURE_STYLE` sets, on its ground. */
const architectureMarkup = (file: string, words: string): string => {
  const svg = file
    .replace(/<style>[\s\S]*?<\/style>\n/, "")
    .replace(/<rect width="480" [^>]*>\n/, "")
    .replace(/<title>[^<]*<\/title>\n/, "")
    .replace(" role=", ` aria-label="${words}" role=`)
    .trim();
  return `<figure class="live not-content" data-figure="architecture" data-pagefind-ignore>${svg}</figure>`;
};

const rows = Object.entries<(typeof metricRows)[keyof typeof metricRows]>(metricRows).map(
  ([name, { type, labels, help }]) => {
    const named = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`dosimeter_${name}\` | ${type} | ${named} | ${help} |`;
  },
);

const metricsPage = `# Metrics

A server that runs with \`--metrics\` (\`DOSIMETER_METRICS\`) answers \`GET /metrics\` in the text format of Prometheus.
[Monitoring](operations.md#monitoring) says what to watch, and \`examples/grafana/\` has a dashboard and alerts.

Labels are names of this program and of its settings: never a dataset, a person or an amount. Durations are counted in powers of two, so
that they reveal little about what was measured.

| name | type | labels | means |
|---|---|---|---|
${rows.join("\n")}

Those of the process itself (memory, processor time, the event loop) have names that begin with \`dosimeter_process_\` and
\`dosimeter_nodejs_\`.
`;

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "docs");
const base = "/docs";

/** Pages of the book that stand elsewhere in the repository. */
const elsewhere: Readonly<Record<string, string>> = {
  "inside/contributing": "CONTRIBUTING.md",
  "trust/benchmarks": "bench/RESULTS.md",
};

/** Every document of `docs/`, as a code host shows it too: the first heading is the title, and links are between files. */
export const book: Loader = {
  name: "book",
  async load({ store, parseData, renderMarkdown }) {
    store.clear();
    const questions = questionsOf(readFileSync(join(folder, "index.md"), "utf8"));
    for (const [id, text] of [...written(), ...(await generated())]) {
      const title = /^# (.+)$/m.exec(text)?.[1] ?? id;
      const linkedText = linked(fileOf(id), filled(text).replace(/^# .+\n/m, ""));
      const body =
        foundBy(questions.filter(({ page }) => page === id).map(({ words }) => words)) +
        linkedText.replaceAll(SEARCH, (_, words) => foundBy([words]));
      // Search finds the one page of all errors, and what the front page leads to.
      const isFound = !id.startsWith("errors/") && id !== "index";
      store.set({
        id,
        data: await parseData({ id, data: { title, editUrl: false, pagefind: isFound } }),
        body,
        rendered: await renderMarkdown(body),
      });
    }
  },
};

/** Pages that are made of the tables of the code, and stand in no file; and those that one file makes. */
async function generated(): Promise<readonly (readonly [id: string, text: string])[]> {
  const made = [...mathPages(), ["cli", await commandsPage()], ["metrics", metricsPage]] as const;
  return [...made, ...errorPages(), ...(await sdkPages())];
}

function written(): readonly (readonly [id: string, text: string])[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".md") && file !== "math.md",
  );
  return [...files.map((file) => join(folder, file)), ...Object.values(elsewhere).map((file) => join(root, file))].map(
    (file) => [idOf(file) ?? file, readFileSync(file, "utf8")],
  );
}

/** The page of a file, or null where the book has none. */
function idOf(file: string): string | null {
  const other = Object.entries(elsewhere).find(([, path]) => join(root, path) === file);
  if (other !== undefined) return other[0];
  const chapter = mathChapters.find((claims) => claims.file === file);
  if (chapter !== undefined) return chapter.id;
  const page = relative(folder, file);
  if (page.startsWith("..") || !page.endsWith(".md") || !existsSync(file)) return null;
  return page.slice(0, -".md".length).split(sep).join("/");
}

const fileOf = (id: string): string => (id in elsewhere ? join(root, elsewhere[id] ?? "") : join(folder, `${id}.md`));

const SEARCH = /^<!-- search: (.+) -->$/gm;

/** Search finds a page by them too, before pages that only contain them: the front page's questions, and other words for the same. */
const foundBy = (words: readonly string[]): string =>
  words.length === 0 ? "" : `<p hidden data-pagefind-weight="10">${words.join(" ")}</p>\n\n`;

/** What `linked` changes, and what it passes over: code, and the heading of a claim. */
const LINK_OR_CLAIM = /^#+ M\d+ · .*$|`[^`]*`|(!?)\[([^\]]*)\]\(([^)\s]+)\)|\bM\d+\b/gm;

/**
 * Links lead to pages, the number of a claim to the claim, pictures stand in the page, figures are live, and a file that does not
 * ship is named without a link.
 */
function linked(from: string, text: string): string {
  const here = dirname(from);
  return outsideCode(text, (prose) =>
    prose.replaceAll(LINK_OR_CLAIM, (whole, picture, words, target) => {
      const claim = target === undefined ? placeOf(whole) : undefined;
      if (target === undefined) return claim === undefined ? whole : linkTo(whole, claim);
      if (/^([a-z]+:|#)/.test(target)) return whole;
      const [path = "", anchor = ""] = target.split("#");
      const file = resolve(here, path);
      if (picture !== "") return drawnAt(file, words) ?? pictureOf(file, words);
      const page = idOf(file);
      const place = page === "math" ? (placeOf(anchor) ?? placeOf(words)) : undefined;
      return page === null ? words : linkTo(words, place ?? `${page}.html${anchor === "" ? "" : `#${anchor}`}`);
    }),
  );
}

const linkTo = (words: string, place: string): string => `[${words}](${base}/${place})`;

/** What is drawn into the page rather than shown as a picture: the live figure of `docs/figures/<name>.svg`, the architecture. */
function drawnAt(file: string, words: string): string | null {
  if (dirname(file) !== join(folder, "figures")) return null;
  const name = basename(file, ".svg");
  return name === "architecture" ? architectureMarkup(readFileSync(file, "utf8"), words) : markupOf(name);
}

/** The picture, and the one that was drawn for a phone where there is one. */
function pictureOf(file: string, words: string): string {
  const narrow = file.replace(/-720\.svg$/, "-340.svg");
  if (narrow === file || !existsSync(narrow)) return `![${words}](${inline(file)})`;
  const source = `<source media="(max-width: 40rem)" srcset="${inline(narrow)}">`;
  return `<picture>${source}<img alt="${words}" src="${inline(file)}"></picture>`;
}

const inline = (file: string): string => `data:image/svg+xml;base64,${readFileSync(file).toString("base64")}`;

function outsideCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/^(```[\s\S]*?^```)$/m)
    .map((part) => (part.startsWith("```") ? part : change(part)))
    .join("");
}
