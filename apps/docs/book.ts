import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Loader } from "astro/loaders";
import { errorPages } from "./errors.ts";
import { markupOf } from "./figures/markup.ts";
import { sdkPages } from "./sdk.ts";

const folder = resolve(import.meta.dirname, "../../docs");
const base = "/docs";

/** Every document of `docs/`, as a code host shows it too: the first heading is the title, and links are between files. */
export const book: Loader = {
  name: "book",
  async load({ store, parseData, renderMarkdown }) {
    store.clear();
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
    const written = files.map((file) => [idOf(file), readFileSync(join(folder, file), "utf8")] as const);
    for (const [id, text] of [...written, ...errorPages(), ...(await sdkPages())]) {
      const title = /^# (.+)$/m.exec(text)?.[1] ?? id;
      const body = linked(id, text.replace(/^# .+\n/m, ""));
      store.set({
        id,
        // Search finds the one page of all errors.
        data: await parseData({ id, data: { title, editUrl: false, pagefind: !id.startsWith("errors/") } }),
        body,
        rendered: await renderMarkdown(body),
      });
    }
  },
};

const idOf = (file: string): string => file.slice(0, -".md".length).split(sep).join("/");

/** Links lead to pages, pictures stand in the page, figures are live, and a file that does not ship is named without a link. */
function linked(id: string, text: string): string {
  const here = join(folder, dirname(id));
  return outsideCode(text, (prose) =>
    prose.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, picture, words, target) => {
      if (/^([a-z]+:|#)/.test(target)) return whole;
      const [path = "", anchor] = target.split("#");
      const file = resolve(here, path);
      if (picture !== "") return liveAt(file) ?? `![${words}](${inline(file)})`;
      const page = relative(folder, file);
      const isPage = page.endsWith(".md") && !page.startsWith("..") && existsSync(file);
      return isPage ? `[${words}](${base}/${idOf(page)}.html${anchor === undefined ? "" : `#${anchor}`})` : words;
    }),
  );
}

/** The live figure of the still picture `docs/figures/<name>.svg`. */
const liveAt = (file: string): string | null =>
  dirname(file) === join(folder, "figures") ? markupOf(basename(file, ".svg")) : null;

const inline = (file: string): string => `data:image/svg+xml;base64,${readFileSync(file).toString("base64")}`;

function outsideCode(text: string, change: (prose: string) => string): string {
  return text
    .split(/^(```[\s\S]*?^```)$/m)
    .map((part) => (part.startsWith("```") ? part : change(part)))
    .join("");
}
