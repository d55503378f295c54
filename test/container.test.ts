import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { routes } from "@dosimeter/client/routes";
import { readConfiguration, settingRows } from "@dosimeter/server";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { readSources } from "../packages/server/src/sources/connections.ts";
import { chartFiles } from "../scripts/chart.ts";
import { temporaryFolder } from "./folder.kit.ts";

// No container engine, cluster or systemd is needed here: what can be wrong without one is checked from the text.

const root = join(import.meta.dirname, "..");
const read = (path: string): Promise<string> => readFile(join(root, path), "utf8");
const json = async (path: string) => JSON.parse(await read(path)) as Record<string, never>;

/** Instructions of the Dockerfile, with continued lines joined. */
async function instructions(): Promise<readonly (readonly [string, string])[]> {
  const text = (await read("Dockerfile")).replace(/\\\n/g, " ");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.trim().split(" ")[0] ?? "", line.trim().replace(/^\S+\s+/, "")]);
}

const of = async (name: string): Promise<readonly string[]> =>
  (await instructions()).filter(([instruction]) => instruction === name).map(([, rest]) => rest);

test("what the image copies is there, and holds everything that its build refers to", async () => {
  const copied = (await of("COPY"))
    .filter((line) => !line.startsWith("--from"))
    .flatMap((line) => line.split(" ").slice(0, -1));
  for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
  const ignored = (await read(".dockerignore")).split("\n").filter((line) => line !== "");
  for (const path of copied) expect(ignored, path).not.toContain(path);
  const { references } = (await json("tsconfig.json")) as unknown as { references: { path: string }[] };
  const { workspaces } = (await json("package.json")) as unknown as { workspaces: string[] };
  for (const place of [...references.map(({ path }) => path.replace("./", "")), ...workspaces])
    expect(copied, place).toContain(place.split("/")[0]);
});

test("what the image runs reads no configuration that the image does not copy", async () => {
  const { scripts } = (await json("package.json")) as unknown as { scripts: Record<string, string> };
  const copied = (await of("COPY")).flatMap((line) => line.split(" ").slice(0, -1));
  const run = ["build", "build:types", "build:web"].map((name) => scripts[name] ?? "");
  for (const [, file = ""] of run.join("\n").matchAll(/(?:-p|--config|--project) (\S+)/g))
    expect(copied).toContain(file);
  expect(run.join("\n")).not.toContain("tsconfig.test");
});

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image: string;
        readonly environment?: Readonly<Record<string, string>>;
        readonly volumes: readonly string[];
        readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, string>> } };
      }
    >
  >;
  readonly volumes: Readonly<Record<string, null>>;
}
const compose = async () => parse(await read("deploy/compose.yaml"), { merge: true }) as Compose;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly volumes: readonly { readonly name: string }[];
  readonly topologySpreadConstraints: readonly { readonly topologyKey: string }[];
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value: string }[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly startupProbe: Probe;
    readonly readinessProbe: Probe;
    readonly livenessProbe: Probe;
    readonly resources: { readonly limits: { readonly memory: string } };
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly template?: { readonly spec: Pod };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}
const manifests = async () =>
  parseAllDocuments(await read("deploy/kubernetes.yaml")).map((one) => one.toJS() as Manifest);

/** The pod of the servers, and what it is a template of. */
async function servers(): Promise<{ pod: Pod; set: Manifest; all: readonly Manifest[] }> {
  const all = await manifests();
  const set = all.find(({ kind }) => kind === "StatefulSet");
  if (set?.spec.template === undefined) throw new Error("no servers");
  return { pod: set.spec.template.spec, set, all };
}

const SETTING = /^(DOSIMETER_[A-Z_]+|DATABASE_URL(_FILE)?|PORT)$/;

test("every setting that the image, compose, Kubernetes or systemd makes is one that the server knows", async () => {
  const { services } = await compose();
  const { pod } = await servers();
  const names = new Set([
    ...((await of("ENV")).join(" ").match(/\bDOSIMETER_\w+(?==)/g) ?? []),
    ...["one", "two"].flatMap((name) => Object.keys(services[name]?.environment ?? {})),
    ...pod.containers.flatMap(({ env }) => env.map(({ name }) => name)),
    ...((await read("deploy/dosimeter.service")).match(/\bDOSIMETER_[A-Z_]+(?==)/g) ?? []),
  ]);
  expect(names.size).toBeGreaterThan(7);
  for (const name of names) {
    expect(name).toMatch(SETTING);
    expect(() => readConfiguration({ [name]: "" }), name).not.toThrow();
  }
  expect(() => readConfiguration({ DOSIMETER_NO_SUCH: "" })).toThrow();
});

test("every folder that a volume of ours is put at is made for the user that writes to it", async () => {
  const made = (await of("RUN")).join(" ");
  const owned = made.match(/install -d -o dosimeter (.*)$/)?.[1] ?? "";
  const { services, volumes } = await compose();
  for (const name of ["one", "two"]) {
    const places = services[name]?.volumes.map((volume) => volume.split(":")[1]);
    expect(places).toEqual(["/data", "/files"]);
    for (const place of places ?? []) expect(owned.split(" ")).toContain(place);
  }
  const named = Object.values(services).flatMap((one) => one.volumes.map((volume) => volume.split(":")[0] ?? ""));
  expect(new Set(named.filter((name) => !name.startsWith(".")))).toEqual(new Set(Object.keys(volumes)));
});

test("every service of compose has an image and limits", async () => {
  for (const [name, { image, deploy }] of Object.entries((await compose()).services)) {
    expect(image, name).toMatch(/^\w+:[\w.]+$/);
    expect(Object.keys(deploy?.resources.limits ?? {}), name).toEqual(["cpus", "memory"]);
  }
});

test("the pods of Kubernetes are the image's user, keep their folders, and are asked what the server answers", async () => {
  const { pod, set, all } = await servers();
  const [user] = await of("USER");
  const { runAsUser, runAsGroup, fsGroup, runAsNonRoot } = pod.securityContext;
  expect({ user: `${runAsUser}:${runAsGroup}`, fsGroup, runAsNonRoot }).toEqual({
    user,
    fsGroup: runAsGroup,
    runAsNonRoot: true,
  });
  const [server] = pod.containers;
  if (server === undefined) throw new Error("no server");
  expect(server.startupProbe.httpGet.path).toBe(routes.ready.path);
  expect(server.readinessProbe.httpGet.path).toBe(routes.ready.path);
  expect(server.livenessProbe.httpGet.path).toBe(routes.health.path);
  const [port] = await of("EXPOSE");
  expect(String(server.ports[0]?.containerPort)).toBe(port);
  const kept = [...pod.volumes, ...(set.spec.volumeClaimTemplates?.map(({ metadata }) => metadata) ?? [])];
  expect(server.volumeMounts.map(({ name }) => name).toSorted()).toEqual(kept.map(({ name }) => name).toSorted());
  const places = server.volumeMounts.map(({ mountPath }) => mountPath);
  for (const place of ["/data", "/files", "/tmp"]) expect(places).toContain(place);
  for (const { name, value } of server.env)
    if (name.endsWith("_FILE")) expect(places).toContain(value.replace(/\/[^/]+$/, ""));
  expect(all.some(({ kind, metadata }) => kind === "Service" && metadata.name === set.spec.serviceName)).toBe(true);
  expect(set.spec.replicas, "the first admin is made on one server").toBe(1);
});

test("the pods are spread, few at a time are taken away, nothing of them is written but their folders, and who reaches them is named", async () => {
  const { pod, all } = await servers();
  const labels = { matchLabels: { app: "dosimeter" } };
  const spread = pod.topologySpreadConstraints;
  expect(spread.map(({ topologyKey }) => topologyKey)).toEqual([
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
  ]);
  for (const one of spread) expect(one).toMatchObject({ maxSkew: 1, labelSelector: labels });
  const { securityContext } = pod.containers[0] as unknown as { securityContext: object };
  expect(securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  expect(Number.isInteger(pod.securityContext.runAsUser)).toBe(true);
  const ofKind = (kind: string) => all.find((one) => one.kind === kind)?.spec;
  expect(ofKind("PodDisruptionBudget")).toEqual({ maxUnavailable: 1, selector: labels });
  expect(ofKind("NetworkPolicy")).toMatchObject({ podSelector: labels, policyTypes: ["Ingress"] });
  const { services } = (await compose()) as unknown as { services: Record<string, Record<string, unknown>> };
  for (const name of ["one", "two"])
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
});

/** What Helm makes of the templates of our chart: values in their places, and a line for each setting. */
function rendered(template: string, values: Readonly<Record<string, unknown>>): readonly Manifest[] {
  const lines = Object.entries(values.settings as Record<string, string>);
  const text = template
    .replace(/\{\{- range .*\n(.*\n)\{\{- end \}\}\n/, (_, line: string) =>
      lines
        .map(([name, value]) =>
          line.replace("{{ $name }}", name).replace(/\{\{ ternary .* \}\}(?= \})/, () => JSON.stringify(value)),
        )
        .join(""),
    )
    .replace(/\{\{ \.Values\.(\w+) \}\}/g, (_, name: string) => String(values[name]));
  expect(text).not.toContain("{{");
  return parseAllDocuments(text).map((one) => {
    expect(one.errors).toEqual([]);
    return one.toJS() as Manifest;
  });
}

test("the chart of Helm is what Kubernetes is given, with a value in each place that differs, and further settings", async () => {
  const files = chartFiles("1.2.3");
  expect(parse(files["dosimeter/Chart.yaml"] ?? "")).toMatchObject({
    apiVersion: "v2",
    name: "dosimeter",
    version: "1.2.3",
  });
  const template = files["dosimeter/templates/dosimeter.yaml"] ?? "";
  const values = parse(files["dosimeter/values.yaml"] ?? "") as Record<string, unknown>;
  expect(rendered(template, values)).toEqual(await manifests());
  const other = rendered(template, {
    ...Object.fromEntries(Object.keys(values).map((name) => [name, `other-${name}`])),
    settings: { DOSIMETER_OTLP: 'http://collector:4318 "quoted"' },
  });
  const text = JSON.stringify(other);
  for (const name of Object.keys(values).filter((one) => one !== "settings")) expect(text).toContain(`other-${name}`);
  for (const usual of Object.values(values).filter((one) => typeof one === "string" && one !== "dosimeter"))
    expect(text).not.toContain(`"${usual}"`);
  const env = other.find(({ kind }) => kind === "StatefulSet")?.spec.template?.spec.containers[0]?.env;
  expect(env?.at(-1)).toEqual({ name: "DOSIMETER_OTLP", value: 'http://collector:4318 "quoted"' });
});

const helm = (...given: string[]) => spawnSync("helm", given, { encoding: "utf8", timeout: 120_000 });
test.skipIf(helm("version").status !== 0)(
  "helm, where it is installed, finds nothing to say and renders the same",
  async () => {
    const folder = temporaryFolder();
    for (const [path, text] of Object.entries(chartFiles("1.2.3"))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const chart = join(folder, "dosimeter");
    expect(helm("lint", "--strict", chart).stdout).toContain("0 chart(s) failed");
    const byName = (all: readonly Manifest[]) => new Map(all.map((one) => [`${one.kind} ${one.metadata.name}`, one]));
    const shown = (...given: string[]) =>
      parseAllDocuments(helm("template", "d", chart, ...given).stdout).map((one) => one.toJS() as Manifest);
    expect(byName(shown())).toEqual(byName(await manifests()));
    writeFileSync(join(folder, "more.yaml"), "settings: { DOSIMETER_REQUEST_PAUSE: 5000000, DOSIMETER_X: 0.25 }");
    const more = JSON.stringify(shown("-f", join(folder, "more.yaml")));
    for (const value of ["5000000", "0.25"]) expect(more).toContain(`"value":"${value}"`);
  },
);

test("systemd starts the command that the folder has, with options that it takes", async () => {
  const unit = await read("deploy/dosimeter.service");
  const [, start = ""] = unit.match(/^ExecStart=(.*)$/m) ?? [];
  expect(start).toContain("/dist/command.js serve ");
  const flags = settingRows.map(([, { flag = "" }]) => flag.split(" ")[0]);
  for (const flag of start.split(" serve ")[1]?.match(/--[\w-]+/g) ?? [])
    expect([...flags, "--config"]).toContain(flag);
  expect(unit).toContain("DOSIMETER_DATA=/var/lib/dosimeter\n");
  expect(unit).toContain("StateDirectory=dosimeter\n");
});

test("the image starts a program that is built, with flags that it takes", async () => {
  const [start = "[]"] = await of("ENTRYPOINT");
  expect((JSON.parse(start) as string[]).at(-1)).toBe("/app/dist/command.js"); // of scripts/standalone.ts, which packages.long tries
  const [command = "[]"] = await of("CMD");
  const flags = settingRows.map(([, { flag = "" }]) => flag.split(" ")[0]);
  for (const flag of (JSON.parse(command) as string[]).filter((part) => part.startsWith("--")))
    expect(flags).toContain(flag);
});

test("the example of Trino mounts the files that it has, runs the version of the tests, and its connection is one that the server takes", async () => {
  const text = await read("examples/trino/compose.yaml");
  const { services, volumes } = parse(text) as Compose;
  expect(Object.keys(services)).toEqual(["trino"]);
  const { image = "", volumes: mounted = [], deploy } = services.trino ?? {};
  const version = (await read("scripts/trino.ts")).match(/trino-server-core:(\d+):/)?.[1];
  expect(image).toBe(`trinodb/trino:${version}`);
  expect(Object.keys(deploy?.resources.limits ?? {})).toEqual(["cpus", "memory"]);
  const places = new Map(mounted.map((one) => [one.split(":")[1] ?? "", one.split(":")[0] ?? ""]));
  for (const from of places.values())
    expect(from.startsWith("./") ? existsSync(join(root, "examples/trino", from)) : from in volumes, from).toBe(true);
  const lake = await read("examples/trino/catalog/iceberg.properties");
  expect(places.has(lake.match(/^local\.location=(.*)$/m)?.[1] ?? ""), "tables are in the volume").toBe(true);
  const access = await read("examples/trino/access-control.properties");
  expect(places.has(access.match(/^security\.config-file=(.*)$/m)?.[1] ?? "")).toBe(true);
  const { tables } = (await json("examples/trino/rules.json")) as unknown as {
    tables: { user: string; privileges: string[] }[];
  };
  const { lake: connection } = await readSources(join(root, "examples/trino/sources.json"), {});
  const { protocol, username, pathname } = new URL(connection?.url ?? "");
  expect({ protocol, username, pathname }).toEqual({ protocol: "trino:", username: "dosimeter", pathname: "/iceberg" });
  expect(tables.filter(({ user }) => user === username).map(({ privileges }) => privileges)).toEqual([["SELECT"]]);
});
