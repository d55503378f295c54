import { openJobs } from "./jobs.ts";
import type { ToShared } from "./shared.kit.ts";

/** The measuring process that the instances of a test process share, each with engines of its own. */
const all = new Map<number, ReturnType<typeof openJobs>>();
process.on("message", ({ of, said }: ToShared) => {
  const jobs = all.get(of) ?? openJobs((ended) => process.send?.({ of, ended }));
  all.set(of, jobs);
  if (said !== null) return jobs.hear(said);
  all.delete(of);
  void jobs.close().then(() => process.send?.({ of, ended: null }));
});
process.on("disconnect", () => process.exit());
