import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";
import { passages } from "./passages.ts";
import { portable } from "./portable.ts";
import { sidebar } from "./sidebar.ts";

/** The address of the book on a server; `portable` takes it out of every file, so that a folder or another address serves as well. */
const base = "/docs";

/** Packages come from their sources, which Vite compiles. */
const own = { resolve: { noExternal: [/^@dosimeter\//] } };

export default defineConfig({
  base,
  outDir: "../web/dist/docs",
  publicDir: "../web/public",
  cacheDir: "../../node_modules/.cache/astro",
  // Pictures stay as they are: `sharp`, whose libvips is under the LGPL, is not installed (`overrides` of the workspace).
  image: { service: passthroughImageService() },
  build: { format: "file", assets: "assets", inlineStylesheets: "never" },
  // A script that needs no other file stands in its page: it runs from a folder too, where a browser loads no module.
  vite: {
    build: { assetsInlineLimit: 100_000 },
    environments: { ssr: own, astro: own, prerender: own },
  },
  integrations: [
    starlight({
      title: "Dosimeter",
      disable404Route: true,
      pagination: true,
      credits: false,
      customCss: ["./src/book.css"],
      components: { MarkdownContent: "./src/MarkdownContent.astro" },
      // Short pages that answer one question come before long ones that contain its words.
      pagefind: { ranking: { pageLength: 0.75, termFrequency: 0.5 } },
      // A long command is read whole on a phone too; printed tables keep their columns and scroll.
      expressiveCode: { defaultProps: { overridesByLang: { sh: { wrap: true } } } },
      favicon: "/mark.svg",
      // A browser loads no module, worker or WebAssembly from a folder, so no search: `book.css` hides its button.
      head: [
        {
          tag: "script",
          content: 'if (location.protocol === "file:") document.documentElement.dataset.from = "folder";',
        },
      ],
      sidebar: sidebar.map(({ label, pages }) => ({ label, items: [...pages] })),
    }),
    portable(base),
    passages,
  ],
});
