import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  resolve: { conditions: ["@dosimeter/source", "module", "browser", "import", "default"] },
  build: { outDir: "dist", emptyOutDir: true, target: "es2022" },
});
