import { setTimeout } from "node:timers/promises";
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
