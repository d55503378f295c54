import type { Configuration } from "../instance/configuration.ts";

/** What other programs need to know of this server. */
export interface Elsewhere {
  readonly where: string;
  readonly text: string;
}

/** Lines to paste into the settings of other programs. */
export function elsewhere({
  publicUrl,
  host = "127.0.0.1",
  port = 8080,
  metrics = false,
  oidc = [],
}: Configuration): readonly Elsewhere[] {
  const here = `${host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host}:${port}`;
  const url = new URL(publicUrl ?? `http://${here}`);
  return [
    ...oidc.map(({ id, name }) => ({
      where: `the provider ${name}, redirect address`,
      text: `${url.origin}/auth/oidc/${id}/callback`,
    })),
    ...oidc
      .filter(({ scim }) => scim === true)
      .map(({ name }) => ({ where: `the provider ${name}, SCIM address`, text: `${url.origin}/scim/v2` })),
    ...(metrics
      ? [
          {
            where: "prometheus.yml, under scrape_configs",
            text: `- job_name: dosimeter\n  metrics_path: /metrics\n  static_configs: [{ targets: ["${here}"] }]`,
          },
        ]
      : []),
    ...(publicUrl === undefined
      ? []
      : [
          { where: "Caddyfile", text: `${url.host} {\n\treverse_proxy ${here} {\n\t\tflush_interval -1\n\t}\n}` },
          {
            where: "nginx, in the server block",
            text: [
              "location / {",
              `  proxy_pass http://${here};`,
              "  proxy_http_version 1.1;",
              "  proxy_set_header Host $host;",
              "  proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
              "  proxy_buffering off;",
              "  proxy_request_buffering off;",
              "  proxy_read_timeout 75s;",
              "  client_max_body_size 4g;",
              "}",
            ].join("\n"),
          },
          {
            where: "haproxy.cfg, the backend",
            text: [
              "backend dosimeter",
              "  option forwardfor",
              "  option httpchk",
              "  timeout server 75s",
              `  server one ${here} check`,
            ].join("\n"),
          },
        ]),
  ];
}
