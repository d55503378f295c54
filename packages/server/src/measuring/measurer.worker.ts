import { openJobs } from "./jobs.ts";

const { hear } = openJobs((ended) => process.send?.(ended));
process.on("message", hear);
// The server has ended, perhaps without a word.
process.on("disconnect", () => process.exit());
