// Recomputes every figure and number of "Differential Privacy at Risk" and writes docs/privacy-at-risk.md:
// node --conditions=@dosimeter/source scripts/replicate-risk.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { replicationPage } from "./risk-page.ts";

const file = join(import.meta.dirname, "..", "docs", "privacy-at-risk.md");
writeFileSync(file, replicationPage());
console.log(`${file} is recomputed`);
