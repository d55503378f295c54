import { ValueType } from "@opentelemetry/api";
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
  type ResourceMetrics,
  type ScopeMetrics,
} from "@opentelemetry/sdk-metrics";
import type { Metrics, MetricValues } from "./metrics.ts";

type Points = MetricValues["values"];
const asTime = (milliseconds: number): [number, number] => [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1e6];

/** The metrics of this process as OpenTelemetry's, read when they are sent: names, labels and values are those that Prometheus reads. */
export function otlpMetrics(
  { all }: Pick<Metrics, "all">,
  { resource, scope }: Pick<ResourceMetrics, "resource"> & Pick<ScopeMetrics, "scope">,
): MetricProducer {
  const startTime = asTime(Date.now());
  return {
    async collect() {
      const times = { startTime, endTime: asTime(Date.now()) };
      const metrics = (await all()).map((one) => dataOf(one, times));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

type Times = { readonly startTime: [number, number]; readonly endTime: [number, number] };

function dataOf({ name, help, type, values }: MetricValues, times: Times): MetricData {
  const about = {
    descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const dataPoints = values.map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  if (type === "histogram") return { ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, times) };
  return type === "counter"
    ? { ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...about, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Of each set of labels one, whose buckets count what lies in them alone. */
function histograms(values: Points, times: Times) {
  const sets = Object.values(Object.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels)));
  return sets.map((points = []) => {
    const of = (part: string): Points => points.filter(({ metricName }) => metricName?.endsWith(part) === true);
    const upTo = of("_bucket");
    const { le: _, ...attributes } = points[0]?.labels ?? {};
    const value = {
      buckets: {
        boundaries: upTo.map(({ labels }) => Number(labels.le)).filter(Number.isFinite),
        counts: upTo.map(({ value }, index) => value - (upTo[index - 1]?.value ?? 0)),
      },
      sum: of("_sum")[0]?.value ?? 0,
      count: of("_count")[0]?.value ?? 0,
    };
    return { ...times, attributes, value };
  });
}
