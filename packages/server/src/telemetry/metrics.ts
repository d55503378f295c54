import type { Problems } from "@dosimeter/query/plan";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { bucket } from "./log.ts";

/** What an operator may watch. Labels are names of this program (routes, codes, stages) and of the settings, never of people, data or amounts. */
export interface Metrics {
  answered(request: { readonly route: string; readonly status: number; readonly milliseconds: number }): void;
  refused(code: string): void;
  signInRefused(how: { readonly method: string; readonly code: string }): void;
  readonly isScraped: boolean;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  all(): Promise<readonly MetricValues[]>;
}

/** One metric as it is now. Values of a histogram are called by their parts: `…_bucket`, `…_sum`, `…_count`. */
export interface MetricValues {
  readonly name: string;
  readonly help: string;
  readonly type: MetricRow["type"];
  readonly values: readonly {
    readonly value: number;
    readonly labels: Record<string, string | number>;
    readonly metricName?: string;
  }[];
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

const counter = (help: string) => ({ type: "counter", help, labels: [] }) as const satisfies MetricRow;

/** Without labels, and read when Prometheus asks. */
const readRows = {
  ready: gauge("1 when the database answers and releases are taken"),
  witness_failing: gauge("1 when the last checkpoint did not reach the witness"),
  ledgers_frozen: gauge("Ledgers that accept no charges"),
  outbox_waiting: gauge("Mail and webhooks that wait to be sent"),
  audit_waiting: gauge("Audit lines that are not yet where the audit is streamed to"),
  ship_lag_seconds: gauge("Time since the oldest change of the ledger that is not in its second place"),
  checkpoint_age_seconds: gauge("Time since the checkpoint was last known to be up to date"),
  database_connections_open: gauge("Connections of this process to PostgreSQL"),
  database_connections_in_use: gauge("Connections of this process that are in use"),
  database_connections_waiting: gauge("Requests of this process that wait for a connection"),
  disk_available_bytes: gauge("What the fullest disk that the server writes to has left"),
  certificate_expiry_timestamp_seconds: gauge("When the certificate for connections of PostgreSQL's protocol ends"),
  departures_missed_total: counter(
    "Releases whose answer came after its departure, so that how long it took depended on rows",
  ),
  measurer_starts_total: counter("Starts of the process that reads data; each after the first is a restart"),
};
type ReadName = keyof typeof readRows;

/** The value of each; null where there is nothing to say. */
export type Readings = Readonly<Record<ReadName, () => Promise<number | null> | number | null>>;

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
  ...readRows,
} as const satisfies Record<string, MetricRow>;

interface Watched extends Pick<Metrics, "isScraped"> {
  releases(): { readonly queued: number; readonly measuring: number; readonly setAside: number };
  readonly version: string;
  readonly readings: Readings;
  /** Why each connection cannot be used, null where it can. */
  sources(): Problems;
}

export function openMetrics({ releases, version, readings, sources, isScraped }: Watched): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: "dosimeter_" });
  // Gauges with a counter's name: Prometheus warns, and the ones by type say the same.
  for (const kind of ["handles", "requests", "resources"])
    registry.removeSingleMetric(`dosimeter_nodejs_active_${kind}_total`);
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
  for (const name of Object.keys(readRows) as ReadName[]) addRead(metricRows[name].type, named(name), readings[name]);
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
      seconds.observe({ route }, bucket(milliseconds) / 1000); // its sum too would tell how long one took
    },
    refused: (code) => refusals.inc({ code }),
    signInRefused: (how) => signIns.inc({ ...how }),
    isScraped,
    text: () => registry.metrics(),
    // Its types say that `type` is a number; it is a word.
    all: async () => (await registry.getMetricsAsJSON()) as unknown as readonly MetricValues[],
  };
}

/** One that cannot be read now, as while the database is away, has no value. */
function addRead(
  type: "counter" | "gauge",
  named: { readonly name: string; readonly help: string; readonly registers: Registry[] },
  read: Readings[ReadName],
): void {
  const reading = async (): Promise<number | null> => {
    try {
      return await read();
    } catch {
      return null;
    }
  };
  if (type === "gauge")
    new Gauge({
      ...named,
      async collect() {
        const value = await reading();
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  else
    new Counter({
      ...named,
      async collect() {
        const value = await reading();
        this.reset();
        if (value !== null) this.inc(value);
      },
    });
}
