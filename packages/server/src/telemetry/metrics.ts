import type { Problems } from "@dosimeter/query";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What an operator may watch. Labels are names of this program (routes, codes, stages) and of the settings, never of people, data or amounts. */
export interface Metrics {
  answered(request: { readonly route: string; readonly status: number; readonly milliseconds: number }): void;
  refused(code: string): void;
  signInRefused(how: { readonly method: string; readonly code: string }): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
}

/** Powers of two, so that a duration reveals little about what was measured. */
const SECONDS = [0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384];

/** Read when Prometheus asks; null where there is nothing to say. */
export type Gauges = Readonly<Record<GaugeName, () => Promise<number | null> | number | null>>;

const gauges = {
  ready: "1 when the database answers and releases are taken",
  witness_failing: "1 when the last checkpoint did not reach the witness",
  ledgers_frozen: "Ledgers that accept no charges",
  outbox_waiting: "Mail and webhooks that wait to be sent",
  audit_waiting: "Audit lines that are not yet where the audit is streamed to",
  checkpoint_age_seconds: "Time since the checkpoint was last known to be up to date",
  database_connections_open: "Connections of this process to PostgreSQL",
  database_connections_in_use: "Connections of this process that are in use",
  database_connections_waiting: "Requests of this process that wait for a connection",
  measurer_starts_total: "Starts of the process that reads data; each after the first is a restart",
} as const;
type GaugeName = keyof typeof gauges;

interface Watched {
  /** Releases at each stage. */
  releases(): { readonly queued: number; readonly measuring: number; readonly setAside: number };
  readonly version: string;
  readonly gauges: Gauges;
  /** Why each connection cannot be used, null where it can. */
  sources(): Problems;
}

export function openMetrics({ releases, version, gauges: read, sources }: Watched): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "dosimeter_" });
  const requests = new Counter({
    name: "dosimeter_requests_total",
    help: "Requests answered, by route and status",
    labelNames: ["route", "status"],
    registers,
  });
  const seconds = new Histogram({
    name: "dosimeter_request_seconds",
    help: "Time to answer, in powers of two",
    labelNames: ["route"],
    buckets: SECONDS,
    registers,
  });
  const refusals = new Counter({
    name: "dosimeter_refusals_total",
    help: "Requests refused, by code",
    labelNames: ["code"],
    registers,
  });
  const signIns = new Counter({
    name: "dosimeter_sign_ins_refused_total",
    help: "Sign-ins and tokens that were refused, by method and code",
    labelNames: ["method", "code"],
    registers,
  });
  new Gauge({
    name: "dosimeter_releases",
    help: "Releases that are charged and not answered yet, in this process",
    labelNames: ["stage"],
    registers,
    collect() {
      for (const [stage, count] of Object.entries(releases())) this.set({ stage }, count);
    },
  });
  new Gauge({
    name: "dosimeter_build_info",
    help: "1, with the version of the program",
    labelNames: ["version"],
    registers,
  }).set({ version }, 1);
  for (const [name, help] of Object.entries(gauges) as [GaugeName, string][])
    addGauge(name, help, read[name], registers);
  new Gauge({
    name: "dosimeter_source_up",
    help: "1 when a connection to a database that holds tables could be used at the last look",
    labelNames: ["source"],
    registers,
    collect() {
      this.reset();
      for (const [source, problem] of Object.entries(sources())) this.set({ source }, problem === null ? 1 : 0);
    },
  });
  return {
    answered({ route, status, milliseconds }) {
      requests.inc({ route, status });
      seconds.observe({ route }, milliseconds / 1000);
    },
    refused: (code) => refusals.inc({ code }),
    signInRefused: (how) => signIns.inc({ ...how }),
    text: () => registry.metrics(),
  };
}

/** One that cannot be read now, as while the database is away, has no value. */
function addGauge(name: GaugeName, help: string, read: Gauges[GaugeName], registers: Registry[]): void {
  new Gauge({
    name: `dosimeter_${name}`,
    help,
    registers,
    async collect() {
      try {
        const value = await read();
        if (value === null) this.remove();
        else this.set(value);
      } catch {
        this.remove();
      }
    },
  });
}
