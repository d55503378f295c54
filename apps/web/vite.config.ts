import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { documentation } from "./docs.ts";

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react(), documentation()],
  // A module worker: the code of each task loads with the task.
  worker: { format: "es" },
  resolve: { conditions: ["@dosimeter/source", "module", "browser", "import", "default"] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // What the first page needs is one file: it compresses better than a dozen, and loads in one request.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What the first page needs is one file: it compresses better than a dozen, and loads in one request.
            { name: "base", tags: ["$initial"], priority: 4 },
            // Numbers as text, and the mathematics below them: a page without a picture needs them all the same.
            {
              name: "core",
              test: /packages\/core\/src|plot\/src\/scene\/number|src\/(api|sums)|@tabler|@mantine\/hooks|parts\/(DataTable|download)/,
              minShareCount: 2,
              priority: 3,
            },
            {
              name: "charts",
              test: /packages\/plot\/src|visx|d3-|parts\/(Figure|SceneView)/,
              minShareCount: 2,
              priority: 2,
            },
            // What most pages share, and what some do: each file costs a request.
            { name: "parts", test: /node_modules|apps\/web\/src\/(parts|api|shell)/, minShareCount: 10, priority: 1 },
            { name: "forms", test: /node_modules|apps\/web\/src\/(parts|api|shell)/, minShareCount: 5, priority: 0 },
            {
              name: "small",
              test: /apps\/web\/src\/(parts|api|latest|charts|dataset\/(declaration|words))|packages\/client\/src|keydown-handler/,
              minShareCount: 2,
              priority: -1,
            },
          ],
        },
      },
    },
  },
});
