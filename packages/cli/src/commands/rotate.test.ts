import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const cwd = temporaryFolder();

const dosimeter = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => said(args, { cwd, env });

test("the signing key is replaced, and the command says which key signs from now on", async () => {
  await dosimeter(["person", "create", "Ana"]);
  const { code, out } = await dosimeter(["--json", "rotate", "signing-key"]);
  const first = JSON.parse(out) as { from: string; to: string };
  expect({ code, ...first }).toEqual({
    code: 0,
    from: expect.stringMatching(/^[0-9a-f]{64}$/),
    to: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect((await dosimeter(["rotate", "signing-key"])).out).toMatch(new RegExp(`no longer by ${first.to}`));
  expect((await dosimeter(["verify"])).code).toBe(0);
});

test.each([
  [["key-secret"], {}, /DOSIMETER_NEW_KEY_SECRET is missing, must be set/],
  [["database"], {}, /must be kept in a file that DATABASE_URL_FILE names/],
  [["source", "clinic"], {}, /DOSIMETER_SOURCES/],
  [["provider", "work", "--secret", "file"], {}, /provider/],
] as const)("%j where there is nothing to replace says what is missing", async (args, env, words) => {
  const { code, out, err } = await dosimeter(["rotate", ...args], env);
  expect(code).toBeGreaterThan(0);
  expect(out).toBe("");
  expect(err).toMatch(words);
});

test("what lies encrypted in the ledger database gets another secret, which is needed from then on", async () => {
  const secret = "x".repeat(30);
  const first = await dosimeter(["rotate", "key-secret"], { DOSIMETER_NEW_KEY_SECRET: secret });
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/sealed under a new key/)]);
  const next = await dosimeter(["rotate", "key-secret"], { DOSIMETER_NEW_KEY_SECRET: "y".repeat(30) });
  expect([next.code > 0, next.err]).toEqual([true, expect.stringMatching(/DOSIMETER_KEY_SECRET must be what/)]);
});
