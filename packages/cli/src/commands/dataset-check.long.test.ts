import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const cwd = temporaryFolder();

/** At a terminal, with what the person types; in a pipe where they type nothing. */
const dosimeter = (args: readonly string[], typed?: string) => {
  if (typed === undefined) return said(args, { cwd });
  const input = Object.assign(new PassThrough(), { isTTY: true });
  input.end(typed);
  return said(args, { cwd, in: input, isInteractive: true, columns: 200, env: { NO_COLOR: "1" } });
};
const left = () => readdirSync(tmpdir()).filter((name) => /^dosimeter-check-/.test(name));
const rows = Array.from({ length: 40 }, (_, at) => `${at},${20 + at},${at % 2 === 0 ? "f" : "m"}`);
const file = (name: string, ...more: readonly string[]) =>
  writeFileSync(join(cwd, name), ["who,age,sex", ...rows, ...more, ""].join("\n"));
const declaration = {
  privacyUnit: { column: "who" },
  contribution: { rows: 1 },
  columns: {
    who: { type: "text" },
    age: { type: "integer", lower: 0, upper: 99 },
    sex: { type: "category", categories: ["f", "m"] },
  },
};
const declared = ["-d", JSON.stringify(declaration)];
const listed = async () => JSON.parse((await dosimeter(["dataset", "list", "--json"])).out) as readonly unknown[];
const isFitted = async (name: string) =>
  (JSON.parse((await dosimeter(["dataset", "show", name, "--json"])).out) as { readonly isFitted: boolean }).isFitted;

test("on a terminal what does not fit is shown first, and nothing is sent before a yes; then it is marked [M413]", async () => {
  const before = left();
  file("odd.csv", "40,131,zebrafish", "0,22,f");
  const no = await dosimeter(["dataset", "add", "odd.csv", ...declared], "no\n");
  for (const each of [
    "How 42 rows fit",
    "age: 1 row lies outside the bounds",
    "sex: 1 row holds no declared category, and so no group counts it.",
    "zebrafish  1",
    "1 value of who has more rows than 1: 1 row above it is left out. You promised one row for each of the people.",
  ])
    expect(no.out).toContain(each);
  expect(no.err).toContain("nothing was done");
  expect(no.code).not.toBe(0);
  expect(await listed()).toEqual([]);
  expect(JSON.parse((await dosimeter(["dataset", "files", "--json"])).out)).toEqual([]);
  const yes = await dosimeter(["dataset", "add", "odd.csv", ...declared], "yes\n");
  expect(yes.code).toBe(0);
  expect(yes.out).toContain("Fitted to the data by its owner");
  expect(left()).toEqual(before);
});

test("where all fits no one is asked, and it is marked; with --unchecked and in a pipe nothing is read or marked [M413]", async () => {
  file("fits.csv");
  const added = await dosimeter(["dataset", "add", "fits.csv", ...declared], "");
  expect(added.out).toContain("Every row fits.");
  expect(await isFitted("fits")).toBe(true);
  file("unread.csv", "41,131,m");
  const unread = await dosimeter(["dataset", "add", "unread.csv", ...declared, "--unchecked"], "");
  expect([unread.code, unread.out.includes("How 41 rows fit")]).toEqual([0, false]);
  file("piped.csv", "42,131,m");
  const piped = await dosimeter(["dataset", "add", "piped.csv", ...declared]);
  expect(piped.out).not.toContain("outside the bounds");
  expect([await isFitted("unread"), await isFitted("piped")]).toEqual([false, false]);
  file("told.csv", "43,50,m");
  expect((await dosimeter(["dataset", "add", "told.csv", ...declared, "--fitted"])).code).toBe(0);
  expect(await isFitted("told")).toBe(true);
  file("more.csv", "44,140,m");
  const version = await dosimeter(["dataset", "version", "piped", "more.csv"], "yes\n");
  expect(version.out).toContain("age: 1 row lies outside the bounds");
  expect(await isFitted("piped")).toBe(true);
});

test("rows that come to others are not compared with the declared number of all", async () => {
  const seen = (name: string, count: number) =>
    writeFileSync(
      join(cwd, name),
      `who,seen\n${Array.from({ length: count }, (_, at) => `${name}${at},2024-01-05\n`).join("")}`,
    );
  seen("all.csv", 40);
  seen("few.csv", 1);
  const sized = {
    ...{ privacyUnit: { column: "who" }, contribution: { rows: 1 }, size: { assumed: 40 } },
    blocks: { column: "seen", every: "month", zone: "UTC" },
    columns: { who: { type: "text" }, seen: { type: "date", lower: "2024-01-01", upper: "2024-12-31" } },
  };
  const as = ["-d", JSON.stringify(sized)];
  expect(await dosimeter(["dataset", "add", "all.csv", ...as, "--unchecked"])).toMatchObject({ code: 0, err: "" });
  const whole = await dosimeter(["dataset", "check", "few.csv", ...as], "");
  expect(whole.out).toContain("The file has 1 row; you said about 40.");
  const part = await dosimeter(["dataset", "append", "all", "few.csv", "--block", "2024-01"], "no\n");
  expect(part.err).toBe("");
  expect(part.out).toContain("Every row fits.");
});

test("a terminal that is closed leaves no copy of the rows", async () => {
  file("closed.csv");
  const temporary = join(cwd, "temporary");
  mkdirSync(temporary);
  const kit = JSON.stringify(new URL("../terminal.kit.ts", import.meta.url).href);
  const check = JSON.stringify(["dataset", "check", "closed.csv", ...declared]);
  const source = `const { PassThrough } = await import("node:stream");
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const { said } = await import(${kit});
    await said(${check}, { cwd: ${JSON.stringify(cwd)}, in: input, isInteractive: true });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await expect.poll(() => readdirSync(temporary), { timeout: 60_000, interval: 5 }).not.toEqual([]);
  child.kill("SIGHUP");
  expect(await ended).toEqual([130, null]);
  expect(readdirSync(temporary)).toEqual([]);
});

test("`dataset check` needs no server, and shows rows to no pipe", async () => {
  file("look.csv", "45,NA,m");
  const check = ["dataset", "check", "look.csv", ...declared, "--data", join(cwd, "none")];
  const shown = await dosimeter(check, "");
  expect(shown.out).toContain("age: 1 row cannot be read as declared: the file will be refused.");
  expect(shown.out).toContain("NA  1");
  expect(readdirSync(cwd)).not.toContain("none");
  const piped = await dosimeter(check);
  expect([piped.out, piped.err.includes("FORBIDDEN"), piped.code === 0]).toEqual(["", true, false]);
});
