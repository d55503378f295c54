import { metricRows } from "../../packages/server/src/telemetry/metrics.ts";

const rows = Object.entries<(typeof metricRows)[keyof typeof metricRows]>(metricRows).map(
  ([name, { type, labels, help }]) => {
    const named = labels.map((label) => `\`${label}\``).join(", ");
    return `| \`dosimeter_${name}\` | ${type} | ${named} | ${help} |`;
  },
);

/** Every metric of a server, from the table of the code. */
export const metricsPage = `# Metrics

A server that runs with \`--metrics\` (\`DOSIMETER_METRICS\`) answers \`GET /metrics\` in the text format of Prometheus.
[Monitoring](operations.md#monitoring) says what to watch, and \`examples/grafana/\` has a dashboard and alerts.

Labels are names of this program and of its settings: never a dataset, a person or an amount. Durations are counted in powers of two, so
that they reveal little about what was measured.

| name | type | labels | means |
|---|---|---|---|
${rows.join("\n")}

Those of the process itself (memory, processor time, the event loop) have names that begin with \`dosimeter_process_\` and
\`dosimeter_nodejs_\`.
`;
