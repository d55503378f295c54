import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { AstroIntegration } from "astro";

/** Interfaces that Pagefind brings and no page of ours loads. */
const UNUSED = /^pagefind-(component-ui|modular-ui|ui|highlight)\.(js|css)$/;

/**
 * Makes the addresses in every built page relative: the folder then works at any address, and from a disk. Code and
 * tables can be scrolled with the keys, before a script has measured them and without one.
 */
export function portable(base: string): AstroIntegration {
  return {
    name: "portable",
    hooks: {
      "astro:build:done": ({ dir }) => {
        const root = fileURLToPath(dir);
        for (const file of readdirSync(join(root, "pagefind")))
          if (UNUSED.test(file)) rmSync(join(root, "pagefind", file));
        const address = new RegExp(`(\\s(?:href|src|data-[\\w-]+)=")${base}(?:/([^"]*))?"`, "g");
        const literal = new RegExp(`([\`"'])${base}(/?)\\1`, "g");
        for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
          const up = relative(dirname(file), ".").split(sep).join("/");
          const to = (path: string | undefined) =>
            join(up, path || "index.html")
              .split(sep)
              .join("/");
          if (file.endsWith(".html"))
            edit(join(root, file), (page) =>
              page
                .replaceAll(address, (_, start, path) => `${start}${to(path)}"`)
                .replaceAll(/<(pre(?= data-language)|table(?=>))/g, '<$1 tabindex="0"'),
            );
          if (/^assets\b.*\.js$/.test(file))
            edit(join(root, file), (code) =>
              code.replaceAll(
                literal,
                (_, __, slash) => `(new URL("..",import.meta.url).pathname${slash === "" ? ".slice(0,-1)" : ""})`,
              ),
            );
        }
      },
    },
  };
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}
