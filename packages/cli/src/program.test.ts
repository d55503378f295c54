import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { errorCodes, PrivacyError } from "@dosimeter/core";
import { expect, test } from "vitest";
import { exitCodes, failureOf } from "./exit.ts";
import { run } from "./program.ts";
import { paint, printable, type Terminal } from "./terminal/terminal.ts";

async function said(args: readonly string[], given: Partial<Terminal> = {}) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const both = Promise.all([text(out), text(err)]);
  const terminal = { in: Readable.from([""]), out, err, isInteractive: false, env: {}, cwd: "/", ...given };
  const code = await run(args, terminal);
  out.end();
  err.end();
  const [saidOut, saidErr] = await both;
  return { code, out: saidOut, err: saidErr };
}

test("every error code has an exit code other than 0", () => {
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[]) {
    const { exit } = failureOf(new PrivacyError(code));
    expect(exit, code).toBeGreaterThan(0);
    expect(Object.values(exitCodes), code).toContain(exit);
  }
});

test("help names every command and every exit code, on standard output", async () => {
  const { code, out, err } = await said([]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  for (const name of ["serve", "demo", "dataset", "ledger", "account", "plan", "release", "verify", "calc"]) {
    expect(out).toContain(`\n  ${name} `);
  }
  for (const exit of Object.values(exitCodes)) expect(out).toMatch(new RegExp(`\\n {2}${exit} {2}\\S`));
});

test("help on a command is the same in both orders", async () => {
  expect(await said(["help", "calc"])).toEqual(await said(["calc", "--help"]));
});

test.each([
  [["wisdom"], "unknown command 'wisdom'"],
  [["calc", "--loud"], "unknown option '--loud'"],
  [["dataset", "show"], "missing required argument 'dataset'"],
  [["ledger", "open", "x", "--epsilon", "1"], "required option '--delta <decimal>' not specified"],
  [["ledger", "set", "x"], "an option is missing, must be one of --policy, --mode, --status, --threshold"],
  [["account", "set", "x", "A/Ana"], "an option is missing, must be one of --expires, --query-epsilon, --mode"],
  [["person", "set", "Ana"], "an option is missing, must be one of --name, --email"],
  [["person", "notify", "--on", "mail"], "kind is missing, must be given, with --on and --off"],
  [["person", "notify", "threshold"], "an option is missing, must be --on or --off, with a kind"],
])("%j is wrong use: one line, code 2", async (args, message) => {
  const { code, out, err } = await said(args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toBe(`dosimeter: ${message} [INVALID_PARAMETER]\n`);
});

test("with --json an error is JSON, too", async () => {
  const { err } = await said(["wisdom", "--json"]);
  expect(JSON.parse(err)).toEqual({ error: { code: "INVALID_PARAMETER", message: "unknown command 'wisdom'" } });
});

test("where no server answers, that is what it says", async () => {
  const { code, err } = await said(["dataset", "list", "--url", "http://127.0.0.1:9"]);
  expect(code).toBe(exitCodes.notReachable);
  expect(err).toBe("dosimeter: no server answers at http://127.0.0.1:9 [UNREACHABLE]\n");
});

test("a name from elsewhere cannot steer the terminal, and colour is for terminals that want it", () => {
  expect(printable("a\u001b[31mred\u0007\r\n")).toBe("a\\x1b[31mred\\x07\\x0d\\x0a");
  const terminal = { isInteractive: true, env: {} } as Terminal;
  expect(paint(terminal, "red", "x")).toBe("\u001b[31mx\u001b[0m");
  expect(paint({ ...terminal, env: { NO_COLOR: "1" } }, "red", "x")).toBe("x");
  expect(paint({ ...terminal, isInteractive: false }, "red", "x")).toBe("x");
});
