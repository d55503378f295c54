import type { Problems } from "@dosimeter/query/plan";
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

interface MetricRow {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
}

const gauge = <const Labels extends readonly string[] = []>(help: string, ...labels: Labels) =>
  ({ type: "gauge", help, labels }) as const satisfies MetricRow;

/** Gauges without labels, which are read when Prometheus asks. */
const readGauges = {
  ready: gauge("1 when the database answers and releases are taken"),
  witness_failing: gauge("1 when the last checkpoint did not reach the witness"),
  ledgers_frozen: gauge("Ledgers that accept no charges"),
  outbox_waiting: gauge("Mail and webhooks that wait to be sent"),
  audit_waiting: gauge("Audit lines that are not yet where the audit is streamed to"),
  checkpoint_age_seconds: gauge("Time since the checkpoint was last known to be up to date"),
  database_connections_open: gauge("Connections of this process to PostgreSQL"),
  database_connections_in_use: gauge("Connections of this process that are in use"),
  database_connections_waiting: gauge("Requests of this process that wait for a connection"),
  departures_missed_total: gauge(
    "Releases whose answer came after its departure, so that how long it took depended on rows",
  ),
  measurer_starts_total: gauge("Starts of the process that reads data; each after the first is a restart"),
};
type GaugeName = keyof typeof readGauges;

/** The value of each gauge; null where there is nothing to say. */
export type Gauges = Readonly<Record<GaugeName, () => Promise<number | null> | number | null>>;

/** Every metric of the server's own, by its name after `dosimeter_`. */
export const metricRows = {
  requests_total: { type: "counter", help: "Requests answered, by route and status", labels: ["route", "status"] },
  request_seconds: { type: "histogram", help: "Time to answer, in powers of two", labels: ["route"] },
  refusals_total: { type: "counter", help: "Requests refused, by code", labels: ["code"] },
  sign_ins_refused_total: {
    type: "counter",
    help: "Sign-ins and tokens that were refused, by method and code",
    labels: ["method", "code"],
  },
  releases: gauge("Releases that are charged and not answered yet, in this process", "stage"),
  build_info: gauge("1, with the version of the program", "version"),
  source_up: gauge("1 when a connection to a database that holds tables could be used at the last look", "source"),
  ...readGauges,
} as const satisfies Record<string, MetricRow>;

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
  const named = <Name extends keyof typeof metricRows>(name: Name) => {
    const { help, labels } = metricRows[name];
    return {
      name: `dosimeter_${name}`,
      help,
      labelNames: [...labels] as (typeof metricRows)[Name]["labels"][number][],
      registers,
    };
  };
  const requests = new Counter(named("requests_total"));
  const seconds = new Histogram({ ...named("request_seconds"), buckets: SECONDS });
  const refusals = new Counter(named("refusals_total"));
  const signIns = new Counter(named("sign_ins_refused_total"));
  new Gauge({
    ...named("releases"),
    collect() {
      for (const [stage, count] of Object.entries(releases())) this.set({ stage }, count);
    },
  });
  new Gauge(named("build_info")).set({ version }, 1);
  for (const name of Object.keys(readGauges) as GaugeName[]) addGauge(named(name), read[name]);
  new Gauge({
    ...named("source_up"),
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
function addGauge(
  named: { readonly name: string; readonly help: string; readonly registers: Registry[] },
  read: Gauges[GaugeName],
): void {
  new Gauge({
    ...named,
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
