import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Marked } from "marked";
import type { Plugin } from "vite";

const folder = join(import.meta.dirname, "../../docs");
const style = readFileSync(join(import.meta.dirname, "docs.css"), "utf8");

/** In the order of the side list; a document without a row here comes last. */
const order = [
  "first-walk",
  "python",
  "r",
  "guide",
  "planning",
  "declaration",
  "statistics",
  "budgets",
  "organisation",
  "reuse",
];

interface Heading {
  readonly id: string;
  readonly html: string;
  readonly depth: number;
}

/** Builds every document of `docs/` into a plain page, `docs/<name>.html`, which needs no script. */
export function documentation(): Plugin {
  return {
    name: "documentation",
    apply: "build",
    generateBundle(_, bundle) {
      const names = readdirSync(folder)
        .filter((file) => file.endsWith(".md"))
        .map((file) => basename(file, ".md"))
        .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
      const titles = new Map(names.map((name) => [name, titleOf(textOf(name))]));
      const font = Object.keys(bundle).find((file) => /inter-latin-wght.*woff2$/.test(file));
      const emit = (name: string, title: string, main: string) =>
        this.emitFile({
          type: "asset",
          fileName: `docs/${name}.html`,
          source: page({ name, title, main, titles, font }),
        });
      const links = [...titles].map(([name, title]) => `<li><a href="${name}.html">${title}</a></li>`);
      emit("index", "Documentation", `<h1>Documentation</h1><ul>${links.join("")}</ul>`);
      for (const [name, title] of titles) emit(name, title, htmlOf(textOf(name)));
    },
  };
}

const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
const textOf = (name: string): string => readFileSync(join(folder, `${name}.md`), "utf8");
const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? "";

/** As GitHub names a heading, so that links work in both places. */
const idOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** A link to another document goes to its page; a file that does not ship is named without a link. */
function targetOf(href: string): string | null {
  if (/^[a-z]+:|^#/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  if (!path.endsWith(".md") || path.includes("/") || !existsSync(join(folder, path))) return null;
  return `${basename(path, ".md")}.html${anchor === undefined ? "" : `#${anchor}`}`;
}

function htmlOf(text: string): string {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: source }) {
        const html = this.parser.parseInline(tokens);
        const id = idOf(source);
        headings.push({ id, html, depth });
        return `<h${depth} id="${id}"><a href="#${id}">${html}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = targetOf(href);
        const html = this.parser.parseInline(tokens);
        return target === null ? html : `<a href="${target}">${html}</a>`;
      },
      image({ href, text: words }) {
        const file = join(folder, href);
        if (!href.endsWith(".svg") || !existsSync(file)) return words;
        return `<img alt="${words}" src="data:image/svg+xml;base64,${readFileSync(file).toString("base64")}">`;
      },
      table(token) {
        const rows = [token.header, ...token.rows].map(
          (cells, at) => `<tr>${cells.map((cell) => this.tablecell({ ...cell, header: at === 0 })).join("")}</tr>`,
        );
        return `<div class="wide" tabindex="0" role="group" aria-label="Table"><table><thead>${rows[0]}</thead><tbody>${rows.slice(1).join("")}</tbody></table></div>`;
      },
      code({ text: code }) {
        const escaped = code.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        return `<pre tabindex="0"><code>${escaped}</code></pre>`;
      },
    },
  });
  const html = marked.parse(text, { async: false });
  const sections = headings.filter(({ depth }) => depth === 2);
  const isListed = /^\* \[.*\]\(#/m.test(text);
  if (sections.length < 4 || isListed) return html;
  const list = sections.map((one) => `<li><a href="#${one.id}">${one.html}</a></li>`).join("");
  return html.replace("</h1>", `</h1><nav aria-label="On this page"><ul>${list}</ul></nav>`);
}

function page(of: {
  readonly name: string;
  readonly title: string;
  readonly main: string;
  readonly titles: ReadonlyMap<string, string>;
  readonly font: string | undefined;
}): string {
  const here = (name: string) => (name === of.name ? ' aria-current="page"' : "");
  const list = [...of.titles].map(([name, title]) => `<li><a href="${name}.html"${here(name)}>${title}</a></li>`);
  const face =
    of.font === undefined
      ? ""
      : `@font-face{font-family:"Inter Variable";font-weight:100 900;font-display:swap;src:url("../${of.font}") format("woff2")}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="../mark.svg" type="image/svg+xml">
<title>${of.title} · Dosimeter</title>
<style>${face}${style}</style>
</head>
<body>
<a class="skip" href="#page">Skip to the page</a>
<header><a class="brand" href="../index.html">Dosimeter</a><details><summary>All documents</summary><nav aria-label="Documents"><ul>${list.join("")}</ul></nav></details></header>
<main id="page">${of.main}</main>
</body>
</html>
`;
}
