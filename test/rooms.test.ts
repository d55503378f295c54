import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

/** A room is a folder, or a file next to one: those of a folder import one another in one direction, types counted. */
const sources = globSync(["packages/*/src", "apps/web/src"], { cwd: join(import.meta.dirname, "..") });

type Arrow = readonly [from: string, to: string];

/** Which file of a `src` imports which. */
function importsOf(src: string): readonly Arrow[] {
  const root = join(import.meta.dirname, "..", src);
  const files = globSync("**/*.{ts,tsx}", { cwd: root }).filter((file) => !/\.(test|kit|bench)\.ts$/.test(file));
  return files.flatMap((file) => {
    const named = readFileSync(join(root, file), "utf8").matchAll(/(?:from|import\(|^import) ?"(\.[^"]+)"/gm);
    return [...named].map(([, to = ""]): Arrow => [file, relative(root, join(root, dirname(file), to))]);
  });
}

/** Which room of a folder imports which. */
function arrowsIn(folder: string, imports: readonly Arrow[]): readonly Arrow[] {
  const start = folder === "." ? "" : `${folder}/`;
  const roomOf = (file: string): string => file.slice(start.length).split("/")[0] ?? "";
  return imports
    .filter((files) => files.every((file) => file.startsWith(start)))
    .map(([from, to]): Arrow => [roomOf(from), roomOf(to)])
    .filter(([from, to]) => from !== to);
}

/** Of a whole package, folders only. */
const arrowsOf = (src: string): readonly Arrow[] =>
  arrowsIn(".", importsOf(src)).filter((rooms) => rooms.every((room) => !room.includes(".")));

/** Every folder that holds one of these files, itself or further down. */
const foldersOf = (files: readonly string[]): ReadonlySet<string> =>
  new Set([".", ...files.flatMap((file) => [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index)))]);

/** The rooms with the arrows between them removed from the leaves up: those left over are in circles, or import a room that is. */
function inCircles(arrows: readonly Arrow[]): readonly string[] {
  const leads = arrows.filter(([, to]) => arrows.some(([from]) => from === to));
  return leads.length === arrows.length ? [...new Set(arrows.map(([from]) => from))].sort() : inCircles(leads);
}

test("circles are found, through a third room too, and those who only import others are none", () => {
  expect(
    inCircles([
      ["plan", "input"],
      ["statistics", "plan"],
    ]),
  ).toEqual([]);
  expect(
    inCircles([
      ["plan", "input"],
      ["plan", "noise"],
      ["noise", "statistics"],
      ["statistics", "plan"],
    ]),
  ).toEqual(["noise", "plan", "statistics"]);
});

test.each(sources)("no two rooms of a folder of %s import each other, nor through a third", (src) => {
  const imports = importsOf(src);
  const circles = [...foldersOf(imports.map(([from]) => from))].map(
    (folder) => [folder, inCircles(arrowsIn(folder, imports))] as const,
  );
  expect(Object.fromEntries(circles.filter(([, rooms]) => rooms.length > 0))).toEqual({});
});

/** The rooms of each package in the order of CONTRIBUTING, by the line above each list; the first list is of `query`. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(join(import.meta.dirname, "../CONTRIBUTING.md"), "utf8");
  const lists = text.slice(text.indexOf("## Package boundaries"), text.indexOf("## Tests")).split("```text\n").slice(1);
  const lines = `query\n${lists.map((list) => list.slice(0, list.indexOf("```"))).join("")}`.split("\n");
  const rooms = new Map<string, string[]>();
  let name = "";
  for (const line of lines) {
    const [, names = "", says] = /^([a-z-]+(?:, [a-z-]+)*)(?:\s+(\S.*))?$/.exec(line) ?? [];
    if (/^(query|engines|ledger|server|core|plot|cli|web)$/.test(names) && says === undefined) name = names;
    else if (names !== "") rooms.set(name, [...(rooms.get(name) ?? []), ...names.split(", ")]);
  }
  return rooms;
}

test.each(["query", "engines", "ledger", "server", "core", "plot", "cli"])(
  "CONTRIBUTING has every room of %s, each after those that it imports",
  (name) => {
    const order = documented().get(name) ?? [];
    const arrows = arrowsOf(`packages/${name}/src`);
    const missing = [...new Set(arrows.flat())].filter((room) => !order.includes(room) && room !== "testing");
    expect(missing).toEqual([]);
    const upwards = arrows.filter(([from, to]) => from !== "testing" && order.indexOf(from) < order.indexOf(to));
    expect([...new Set(upwards.map((arrow) => arrow.join(" → ")))]).toEqual([]);
  },
);

test("the arrows are read: engines read SQL, and nothing below reads engines", () => {
  expect(sources).toHaveLength(16);
  const arrows = ["query", "engines"].flatMap((name) =>
    arrowsOf(`packages/${name}/src`).map((arrow) => arrow.join(" → ")),
  );
  expect(arrows).toContain("duckdb → sql");
  expect(arrows).toContain("plan → declaration");
  expect(arrows).not.toContain("sql → duckdb");
  const below = arrowsIn("plan", importsOf("apps/web/src")).map((arrow) => arrow.join(" → "));
  expect(below).toContain("grid → workbench.ts");
});

test("a worker begins its work as it is loaded: nothing loads one but as a thread or a process", () => {
  const files = globSync(["packages/*/src/**/*.ts", "apps/*/src/**/*.{ts,tsx}"], {
    cwd: join(import.meta.dirname, ".."),
  });
  const loading = (file: string) =>
    [
      ...readFileSync(join(import.meta.dirname, "..", file), "utf8").matchAll(
        /^(?:import|export) ([^;]*?) from "[^"]*\.worker\.ts"/gm,
      ),
    ]
      .filter(([, what = ""]) => !what.startsWith("type "))
      .map(() => file);
  expect(files.filter((file) => file.endsWith(".worker.ts")).length).toBeGreaterThan(5);
  expect(files.flatMap(loading)).toEqual([]);
});

test("threads are named without a folder: the installed command has all of them in one", () => {
  const src = join(import.meta.dirname, "../packages/server/src");
  const files = globSync("**/*.ts", { cwd: src }).filter((file) => !file.endsWith(".test.ts"));
  const names = files.flatMap((file) =>
    [...readFileSync(join(src, file), "utf8").matchAll(/openThread[^(]*\(\s*"([^"]+)"/g)].map(([, name = ""]) => name),
  );
  expect(names).toContain("ledger-copy.worker");
  expect(names.filter((name) => !/^[a-z-]+\.worker$/.test(name))).toEqual([]);
});
