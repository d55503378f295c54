import { current } from "../telemetry/current.ts";
import { bucket } from "../telemetry/log.ts";
import type { Deps } from "./deps.ts";

/** Counts and logs what was answered. A library may have made an error of the server of it. */
export function noteAnswer(
  { route, status, started }: { readonly route: string; readonly status: number; readonly started: number },
  { metrics, log }: Pick<Deps, "metrics" | "log">,
): void {
  const milliseconds = performance.now() - started;
  metrics?.answered({ route, status, milliseconds });
  current().span?.tell({ status });
  const said = { route, status, atMost: bucket(milliseconds) };
  if (status < 500) log.info("answered", said);
  else log.error("REQUEST_FAILED", said);
}
