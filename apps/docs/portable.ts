import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { AstroIntegration } from "astro";

/** Interfaces that Pagefind brings and no page of ours loads. */
const UNUSED = /^pagefind-(component-ui|modular-ui|ui|highlight)\.(js|css)$/;

/** Makes the addresses in every built page relative: the folder then works at any address, and from a disk. */
export function portable(base: string): AstroIntegration {
  return {
    name: "portable",
    hooks: {
      "astro:build:done": ({ dir }) => {
        const root = fileURLToPath(dir);
        for (const file of readdirSync(join(root, "pagefind"))) if (UNUSED.test(file)) rmSync(join(root, "pagefind", file));
        for (const file of readdirSync(root, { recursive: true, encoding: "utf8" })) {
          if (!file.endsWith(".html")) continue;
          const up = relative(dirname(file), ".").split(sep).join("/");
          const page = readFileSync(join(root, file), "utf8");
          const address = new RegExp(`(\\s(?:href|src|data-[\\w-]+)=")${base}(?:/([^"]*))?"`, "g");
          const moved = page.replaceAll(address, (_, start, path) => {
            const to = path?.replace(/^\/|\.html$/, "") ? path : "index.html";
            return `${start}${up === "" ? to : `${up}/${to}`}"`;
          });
          writeFileSync(join(root, file), moved);
        }
      },
    },
  };
}
