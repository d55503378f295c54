import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingRows } from "@dosimeter/server/settings";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { run } from "../program.ts";

const cwd = temporaryFolder();

async function dosimeter(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  let [out, err] = ["", ""];
  const stream = (take: (text: string) => void) => ({
    write(text: string) {
      take(text);
      return true;
    },
    columns: 200,
  });
  const code = await run(args, {
    out: stream((text) => {
      out += text;
    }),
    err: stream((text) => {
      err += text;
    }),
    env,
    cwd,
    isInteractive: false,
  } as never);
  return { code, out, err };
}

test("help names every setting", async () => {
  const { out } = await dosimeter(["serve", "--help"]);
  for (const [name] of settingRows) expect(out).toContain(name);
});

test("--check prints what is set where and everything that is wrong, and makes nothing", async () => {
  writeFileSync(
    join(cwd, "d.yaml"),
    "threads: 2\nhosst: x\nsources: { a: { url: 'postgres://r@h/d', sslmode: off } }\n",
  );
  const wrong = await dosimeter(["serve", "--check", "--config", "d.yaml", "--log", "loud"], { PORT: "9000" });
  expect(wrong).toMatchObject({ code: 2, err: "" });
  for (const line of ["PORT\tenvironment", "DOSIMETER_THREADS\tfile", "DOSIMETER_LOG\toption"])
    expect(wrong.out).toContain(line);
  for (const problem of [
    "hosst in ",
    "--log must be silent, error or info",
    "sources.a.sslmode is not a setting of a connection",
  ])
    expect(wrong.out).toContain(problem);
  const right = await dosimeter(["serve", "--check", "--json", "--port", "0"]);
  expect({ ...right, out: JSON.parse(right.out) }).toMatchObject({
    code: 0,
    out: { set: [{ name: "PORT", from: "option" }], problems: [], elsewhere: [] },
    err: "",
  });
  const mail = { DOSIMETER_MAIL_URL: "smtp://127.0.0.1:1", DOSIMETER_MAIL_FROM: "d@example.org" };
  const connected = await dosimeter(["doctor"], mail);
  expect(connected).toMatchObject({ code: 1, out: expect.stringContaining("fault   the mail server: ") });
  expect(() => statSync(join(cwd, ".dosimeter"))).toThrow();
});

test("doctor explains a code of the log, and names all for one that there is not", async () => {
  const said = await dosimeter(["doctor", "DEPARTURE_MISSED"]);
  expect(said).toMatchObject({ code: 0, err: "", out: expect.stringContaining("a departure was missed: ") });
  const json = await dosimeter(["doctor", "LEASE_LOST", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({
    code: "LEASE_LOST",
    says: expect.any(String),
    mend: expect.any(String),
  });
  expect(await dosimeter(["doctor", "NO_SUCH"])).toMatchObject({ code: 2, err: expect.stringContaining("LEASE_LOST") });
});
