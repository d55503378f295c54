// The Helm chart, made of deploy/kubernetes.yaml: what differs between installations is a value, with what stands there as its default.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./packages.ts";

/** Where each value stands in the file. */
const places: Readonly<Record<string, RegExp>> = {
  image: /(?<=image: )\S+/g,
  replicas: /(?<=replicas: )\d+/g,
  host: /budget\.example\.org/g,
  secret: /(?<=secretName: )dosimeter(?=,)/g,
  tlsSecret: /(?<=secretName: )dosimeter-tls/g,
  memory: /(?<=DOSIMETER_MEMORY, value: )\w+/g,
  memoryLimit: /(?<=limits: { memory: )\w+/g,
  filesStorage: /(?<=\[ReadWriteMany\]\n +resources: { requests: { storage: )\w+/g,
  dataStorage: /(?<=\[ReadWriteOnce\]\n +resources: { requests: { storage: )\w+/g,
  ingressNamespace: /(?<=kubernetes.io\/metadata.name: )ingress-nginx/g,
  monitoringNamespace: /(?<=kubernetes.io\/metadata.name: )monitoring/g,
};
/** Any other setting of the server, by its variable, after the last one that the file sets. */
const SETTINGS = /(?<=\n)( +)- { name: DOSIMETER_METRICS, .*\n/;
/** Helm reads numbers as doubles, and writes 5000000 as 5e+06, but not in JSON. */
const VALUE = '{{ ternary (toJson $value) (toString $value) (kindIs "float64" $value) | quote }}';
const each = (line: string, indent: string): string =>
  `${line}{{- range $name, $value := .Values.settings }}\n${indent}- { name: {{ $name }}, value: ${VALUE} }\n{{- end }}\n`;

/** The files of the chart, by path. Throws where a value has lost its place. */
export function chartFiles(version: string): Readonly<Record<string, string>> {
  let template = readFileSync(join(root, "deploy/kubernetes.yaml"), "utf8").replace(/^(#.*\n)+/, "");
  const values = Object.entries(places).map(([name, place]) => {
    const [usual] = template.match(place) ?? [];
    if (usual === undefined) throw new Error(`deploy/kubernetes.yaml has no place for ${name}`);
    template = template.replace(place, `{{ .Values.${name} }}`);
    return `${name}: ${usual}\n`;
  });
  if (!SETTINGS.test(template)) throw new Error("deploy/kubernetes.yaml has no place for settings");
  const about = [
    "apiVersion: v2",
    "name: dosimeter",
    "description: A differential-privacy budget platform",
    "type: application",
  ];
  return {
    "dosimeter/Chart.yaml": `${[...about, `version: ${version}`, `appVersion: "${version}"`].join("\n")}\n`,
    "dosimeter/values.yaml": `${values.join("")}# DOSIMETER_OIDC: /etc/oidc.json, and so on: docs/settings.md\nsettings: {}\n`,
    "dosimeter/templates/dosimeter.yaml": template.replace(SETTINGS, each),
  };
}
