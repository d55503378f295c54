import { ValueType } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  type MetricProducer,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { Metrics, MetricValues } from "./metrics.ts";

type About = { readonly resource: ResourceMetrics["resource"]; readonly scope: { name: string; version: string } };
type Times = { readonly startTime: [number, number]; readonly endTime: [number, number] };

const asTime = (milliseconds: number): [number, number] => [
  Math.floor(milliseconds / 1000),
  (milliseconds % 1000) * 1e6,
];

/** The metrics of this process as OpenTelemetry's, read when they are sent: names, labels and values as Prometheus reads them. */
export function otlpMetrics({ all }: Pick<Metrics, "all">, { resource, scope }: About): MetricProducer {
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
