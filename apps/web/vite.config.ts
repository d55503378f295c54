import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  // A module worker: the code of each task loads with the task.
  worker: { format: "es" },
  resolve: { conditions: ["@dosimeter/source", "module", "browser", "import", "default"] },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    // What the first page needs is one file: it compresses better than a dozen, and loads in one request.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "base", tags: ["$initial"] }] } } },
  },
});
