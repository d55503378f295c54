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

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [withoutSummaries, react()],
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
            // What home, dataset, release and plan all read; then what only pictures need, what only planning needs, and so on:
            // no view loads a file of which it uses little.
            {
              name: "answers",
              test: holding(
                "query/src/(statistics|expression|declaration/(code|formula)|answer/title)",
                "core/src/(cases|rules|numeric/root)",
                "plot/src/(scene/(number|text)|report/answer-words)",
                "web/src/(sums|dataset/(declaration|Frozen|PlainPromise|words)|parts/(Amount|browser|words|Lineage))",
                "web/src/api/(datasets|ledgers|releases)",
                "useQueries|use-debounced-value|IconDownload",
              ),
              minShareCount: 2,
              priority: 8,
            },
            {
              name: "pictures",
              test: holding(
                "d3-|visx",
                "plot/src/(frame|scene|chart[.]ts|report/answer)",
                "plot/src/charts/(bar-chart|line-chart|interval-dot|budget-bar|gauge-dial|strips)",
                "web/src/(charts|latest|parts/(Figure|IntervalDot|Gauge|DataTable))",
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
