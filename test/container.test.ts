import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readConfiguration, settingRows } from "@dosimeter/server";
import { expect, test } from "vitest";

// No container engine is needed here: what can be wrong without one is checked from the text.

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

test("every setting that the image or the compose file makes is one that the server knows", async () => {
  const text = `${(await of("ENV")).join(" ")}\n${await read("deploy/compose.yaml")}`;
  const names = new Set(text.match(/\b(DOSIMETER_[A-Z_]+|DATABASE_URL|PORT)(?=[=:])/g));
  expect(names.size).toBeGreaterThan(3);
  for (const name of names) expect(() => readConfiguration({ [name]: "" }), name).not.toThrow();
  expect(() => readConfiguration({ DOSIMETER_NO_SUCH: "" })).toThrow();
});

test("every folder that a volume of ours is put at is made for the user that writes to it", async () => {
  const owned = (await of("RUN")).join(" ").match(/install -d -o dosimeter (.*)$/)?.[1] ?? "";
  const compose = await read("deploy/compose.yaml");
  const servers = [...compose.matchAll(/^ {4}<<: \*server\n {4}volumes: \[(.*)\]$/gm)].map(
    ([, volumes = ""]) => volumes,
  );
  expect(servers).toHaveLength(2);
  const places = [...servers.join(" ").matchAll(/\w+:(\/\w+)"/g)].map(([, place]) => place);
  expect(new Set(places)).toEqual(new Set(["/data", "/files"]));
  for (const place of places) expect(owned.split(" ")).toContain(place);
});

test("the image starts a program that is built, with flags that it takes", async () => {
  const [start = "[]"] = await of("ENTRYPOINT");
  const program = (JSON.parse(start) as string[]).find((part) => part.endsWith("main.js")) ?? "";
  expect(existsSync(join(root, program.replace("/app/", "").replace("/dist/", "/src/").replace(/js$/, "ts")))).toBe(
    true,
  );
  const [command = "[]"] = await of("CMD");
  const flags = settingRows.map(([, { flag = "" }]) => flag.split(" ")[0]);
  for (const flag of (JSON.parse(command) as string[]).filter((part) => part.startsWith("--")))
    expect(flags).toContain(flag);
});

test("what runs in the image is not taken away with the development dependencies", async () => {
  const { packages } = (await json("package-lock.json")) as unknown as {
    packages: Record<string, { dev?: true; dependencies?: Record<string, string> }>;
  };
  const ours = Object.entries(packages).filter(([path]) => /^packages\/\w+$/.test(path));
  expect(ours.length).toBeGreaterThan(6);
  for (const [path, { dependencies = {} }] of ours)
    for (const name of Object.keys(dependencies)) {
      const installed = packages[`${path}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
      expect(installed, `${path} needs ${name}`).toBeDefined();
      expect(installed?.dev, `${path} needs ${name}`).toBeUndefined();
    }
});
