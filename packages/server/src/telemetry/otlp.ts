import { setTimeout } from "node:timers/promises";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, ValueType } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Span } from "./current.ts";
import { bucket, type Log } from "./log.ts";
import type { Metrics, MetricValues } from "./metrics.ts";
import { attributesOf, type SpanFacts, type SpanName } from "./span-facts.ts";

type About = { readonly resource: ResourceMetrics["resource"]; readonly scope: { name: string; version: string } };
type Times = { readonly startTime: [number, number]; readonly endTime: [number, number] };

const asTime = (milliseconds: number): [number, number] => [
  Math.floor(milliseconds / 1000),
  (milliseconds % 1000) * 1e6,
];

/** The metrics of this process as OpenTelemetry's, read when they are sent: names, labels and values as Prometheus reads them. */
function otlpMetrics({ all }: Pick<Metrics, "all">, { resource, scope }: About): MetricProducer {
  const startTime = asTime(Date.now());
  return {
    async collect() {
      const times = { startTime, endTime: asTime(Date.now()) };
      const metrics = (await all()).map((one) => dataOf(one, times));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

function dataOf({ name, help, type, values }: MetricValues, times: Times) {
  const about = {
    descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (type === "histogram")
    return { ...about, dataPointType: DataPointType.HISTOGRAM as const, dataPoints: histograms(values, times) };
  const dataPoints = values.map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  return type === "counter"
    ? { ...about, dataPointType: DataPointType.SUM as const, isMonotonic: true, dataPoints }
    : { ...about, dataPointType: DataPointType.GAUGE as const, dataPoints };
}

/** Of each set of labels one, whose buckets count what lies in them alone. */
function histograms(values: MetricValues["values"], times: Times) {
  const sets = Object.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return Object.entries(sets).map(([labels, points = []]) => {
    const of = (part: string) => points.filter(({ metricName = "" }) => metricName.endsWith(part));
    const upTo = of("_bucket");
    const buckets = {
      boundaries: upTo.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
      counts: upTo.map(({ value }, index) => value - (upTo[index - 1]?.value ?? 0)),
    };
    const value = { buckets, sum: of("_sum")[0]?.value ?? 0, count: of("_count")[0]?.value ?? 0 };
    return { ...times, attributes: JSON.parse(labels) as Record<string, string>, value };
  });
}

export interface Otlp {
  /** What every request begins below. */
  readonly root: Span;
  /** Sends what waits, and stops. */
  readonly close: () => Promise<void>;
}

interface Sending {
  /** Traces and metrics go below its address. */
  readonly place: { readonly url: URL; readonly headers: { readonly authorization?: string } };
  readonly version: string;
  readonly metrics: Pick<Metrics, "all">;
  readonly log: Log;
}

/** What no one receives in this time is dropped. */
const TIMEOUT_MS = 5000;

/** Sends spans and metrics by OpenTelemetry's protocol over HTTP, in JSON, in batches, and on no request's way. */
export function openOtlp({ place: { url, headers }, version, metrics, log }: Sending): Otlp {
  const scope = { name: "dosimeter", version };
  // Of the machine nothing is said: the library's own detectors would send its name and the command.
  const resource = resourceFromAttributes({ "service.name": scope.name, "service.version": version });
  const to = (path: string) => ({
    url: `${url.href.replace(/\/$/, "")}/v1/${path}`,
    headers: { ...headers },
    timeoutMillis: TIMEOUT_MS,
  });
  let isFailing = false;
  const noted = <Kind extends Exporter>(exporter: Kind): Kind => {
    const same: Exporter = exporter;
    const send = same.export.bind(same);
    same.export = (sent, done) =>
      send(sent, (result) => {
        if (result.code !== 0 && !isFailing) log.error("TELEMETRY_NOT_SENT");
        isFailing = result.code !== 0;
        done(result);
      });
    return exporter;
  };
  const exporter = noted(new OTLPTraceExporter(to("traces")));
  const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] });
  const reader = new PeriodicExportingMetricReader({
    exporter: noted(new OTLPMetricExporter(to("metrics"))),
    metricProducers: [otlpMetrics(metrics, { resource, scope })],
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  const tracer = provider.getTracer(scope.name, version);

  function begin(name: SpanName, facts: SpanFacts, above = ROOT_CONTEXT): Span {
    const [startTime, started] = [Date.now(), performance.now()];
    const [kind, called] = name === "request" ? [SpanKind.SERVER, String(facts.route)] : [SpanKind.INTERNAL, name];
    const span = tracer.startSpan(called, { kind, startTime, attributes: attributesOf(facts) }, above);
    let departure: number | undefined;
    return {
      child: (step, more) => begin(step, more, trace.setSpan(above, span)),
      tell(more) {
        if (typeof more.departure === "number") departure = more.departure;
        if (FAULTS.has(more.code)) span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttributes(attributesOf(more));
      },
      end() {
        const took = performance.now() - started;
        // A measurement lasts until its departure, whatever it took. [M418]
        span.end(startTime + (departure ?? (kind === SpanKind.SERVER ? bucket(took) : took)));
      },
    };
  }

  return {
    root: { child: (name, facts) => begin(name, facts), tell: () => undefined, end: () => undefined },
    // A receiver that answers a letter at a time is no reason to stay: what it has not taken is lost.
    close: async () =>
      Promise.race([
        Promise.allSettled([provider.shutdown(), meters.shutdown()]).then(() => undefined),
        setTimeout(TIMEOUT_MS, undefined, { ref: false }),
      ]),
  };
}

const FAULTS = new Set<unknown>(["INTERNAL", "ENGINE_FAILED", "EXACT_VALUE_LEAK", "NOT_READY"]);

interface Exporter {
  export(sent: unknown, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}
