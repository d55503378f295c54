import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Span } from "./current.ts";
import { bucket, type Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { otlpMetrics } from "./otlp-metrics.ts";
import { attributesOf, type SpanFacts, type SpanName } from "./span-facts.ts";

export interface Otlp {
  /** What the steps of every request begin below. */
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

const SCOPE = "dosimeter";
/** What no one receives in this time is dropped. */
const TIMEOUT_MS = 5000;

/** Sends spans and metrics by OpenTelemetry's protocol over HTTP, in JSON: beside what is traced, in batches, and never on its way. */
export function openOtlp({ place: { url, headers }, version, metrics, log }: Sending): Otlp {
  // Of the machine nothing is said: the library's own detectors would send its name and the command.
  const resource = resourceFromAttributes({ "service.name": SCOPE, "service.version": version });
  const below = url.href.replace(/\/$/, "");
  const to = (path: string) => ({ url: `${below}/${path}`, headers: { ...headers }, timeoutMillis: TIMEOUT_MS });
  const heard = onceOf(log);
  const spans = noting(new OTLPTraceExporter(to("v1/traces")), heard);
  const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter: spans })] });
  const reader = new PeriodicExportingMetricReader({
    exporter: noting(new OTLPMetricExporter(to("v1/metrics")), heard),
    metricProducers: [otlpMetrics(metrics, { resource, scope: { name: SCOPE, version } })],
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  const tracer = provider.getTracer(SCOPE, version);

  function begin(name: SpanName, facts: SpanFacts, above = ROOT_CONTEXT): Span {
    const [startTime, started] = [Date.now(), performance.now()];
    const kind = name === "request" ? SpanKind.SERVER : SpanKind.INTERNAL;
    const called = name === "request" ? String(facts.route) : name;
    const span = tracer.startSpan(called, { kind, startTime, attributes: attributesOf(facts) }, above);
    let lasts: number | undefined;
    return {
      child: (step, more) => begin(step, more, trace.setSpan(above, span)),
      tell(more) {
        // A measurement lasts until its departure, whatever it took. [M418]
        if (typeof more.departure === "number") lasts = more.departure;
        if (FAULTS.has(more.code)) span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttributes(attributesOf(more));
      },
      end() {
        const took = performance.now() - started;
        span.end(startTime + (lasts ?? (name === "request" ? bucket(took) : took)));
      },
    };
  }

  return {
    root: { child: (name, facts) => begin(name, facts), tell: () => undefined, end: () => undefined },
    async close() {
      await Promise.allSettled([provider.shutdown(), meters.shutdown()]);
    },
  };
}

const FAULTS = new Set<unknown>(["INTERNAL", "ENGINE_FAILED", "EXACT_VALUE_LEAK", "NOT_READY"]);

interface Exporting {
  export(sent: unknown, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** The same exporter; whether what it sends arrives is told. */
function noting<Exporter extends Exporting>(exporter: Exporter, heard: (arrived: boolean) => void): Exporter {
  const same: Exporting = exporter;
  const send = same.export.bind(same);
  same.export = (sent, done) =>
    send(sent, (result) => {
      heard(result.code === 0);
      done(result);
    });
  return exporter;
}

/** Logs once that nothing arrives any more. */
function onceOf(log: Log): (arrived: boolean) => void {
  let isFailing = false;
  return (arrived) => {
    if (!arrived && !isFailing) log.error("TELEMETRY_NOT_SENT");
    isFailing = !arrived;
  };
}
