import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Modules whose path holds one of `places`. */
const holding = (...places: readonly string[]): RegExp => new RegExp(places.join("|"));

/** The sentence of each route is for documents; without them the first load is 5 kB smaller. */
const withoutSummaries: Plugin = {
  name: "without-summaries",
  enforce: "pre",
  transform: (code, id) =>
    /client\/src\/[\w-]+\/routes\.ts$/.test(id) ? code.replace(/\bsummary:\s*(["'`])(?:\\.|(?!\1).)*\1,/gs, "") : null,
};

const compressed = promisify(brotliCompress);

/** Next to each script and style sheet what the server sends of it: as small as it gets, which takes too long while a reader waits. */
const precompressed: Plugin = {
  name: "precompressed",
  async writeBundle({ dir = "" }, files) {
    const texts = Object.values(files).filter(({ fileName }) => /\.(js|css)$/.test(fileName));
    await Promise.all(
      texts.map(async (file) =>
        writeFile(join(dir, `${file.fileName}.br`), await compressed(file.type === "chunk" ? file.code : file.source)),
      ),
    );
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [withoutSummaries, react(), precompressed],
  // A module worker: the code of each task loads with the task.
  worker: { format: "es" },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "base", tags: ["$initial"], priority: 9 },
            // What most views read of the server; what dataset, release and plan read of a declaration; then what only pictures need, what only planning needs, and so on:
            // no view loads a file of which it uses little.
            {
              name: "rooms",
              test: holding(
                "core/src/(cases|rules|amounts|clock|calendar|filter/rules|blocks/unit-words)",
                "plot/src/(chart[.]ts|scene|charts/gauge-dial)",
                "web/src/(sums|charts|api/(?!declaration)|plan/ask/(use-|AskLine)|parts/(Amount|browser|words|DataTable|Gauge|SceneView|Tabs|gauge))",
                "useQueries|use-debounced-value",
              ),
              minShareCount: 2,
              priority: 8,
            },
            {
              name: "answers",
              test: holding(
                "query/src/(statistics|expression|declaration/(code|formula)|answer/title)",
                "plot/src/report/answer-words",
                "web/src/(api/declaration|dataset/(declaration|Frozen|PlainPromise|words)|outside/Vouched|parts/Lineage)",
                "Icon(Download|Link)",
              ),
              minShareCount: 2,
              priority: 7.5,
            },
            {
              name: "pictures",
              test: holding(
                "d3-|visx",
                "plot/src/(frame|report/answer)",
                "plot/src/charts/(bar-chart|line-chart|interval-dot|budget-bar|strips)",
                "web/src/(latest|parts/(Figure|IntervalDot))",
              ),
              minShareCount: 2,
              priority: 7,
            },
            {
              name: "inputs",
              test: holding(
                "@mantine/core/esm/components/(Input|CloseButton|TextInput)",
                "@mantine/core/esm/core/(DirectionProvider|utils)",
                "@mantine/hooks/esm/use-(uncontrolled|merged-ref|force-update)",
                "Icon(Plus|Copy)",
                "web/src/parts/(fields|number-text|Form|buttons)",
              ),
              minShareCount: 3,
              priority: 6,
            },
            {
              name: "planner",
              test: holding(
                "planner/src",
                "web/src/plan/(use-planner|workbench|columns|beta|retype|words|PlanBench|reviewed)",
              ),
              minShareCount: 2,
              priority: 5,
            },
            {
              name: "floating",
              test: holding("@floating-ui|use-focus-trap", "components/(FocusTrap|Popover|Portal)"),
              minShareCount: 3,
              priority: 4,
            },
            {
              name: "dialogs",
              test: holding("remove-scroll|Modal|ScrollArea|parts/(Dialog|Confirm)"),
              minShareCount: 3,
              priority: 3,
            },
            {
              name: "forms",
              test: holding("@mantine", "parts/(Filter|More|Search|Secret)"),
              minShareCount: 4,
              priority: 2,
            },
          ],
        },
      },
    },
  },
});
