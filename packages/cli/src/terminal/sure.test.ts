import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { present } from "@dosimeter/core/internal";
import { expect, test } from "vitest";
import { sureOfVain } from "./sure.ts";
import type { Terminal } from "./terminal.ts";

const VAIN = "3 of 4 answers of mean of income by sex cannot be distinguished from nothing";

async function asked(
  typed: string,
  { isInteractive = true, isOver = false, yes }: { isInteractive?: boolean; isOver?: boolean; yes?: true } = {},
) {
  const [input, err] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()];
  input.end(typed);
  if (isOver) await text(input); // someone read it before
  const terminal: Terminal = { in: input, out: new PassThrough(), err, isInteractive, env: {}, cwd: "." };
  let quotes = 0;
  const quote = async () => {
    quotes += 1;
    return { warnings: [VAIN] };
  };
  const refused = await sureOfVain(quote, terminal, present({ yes })).then(
    () => null,
    (error: Error) => error.message,
  );
  err.end();
  return { refused, said: await text(err), quotes };
}

test("on a terminal a release that is partly in vain names it, and needs one more yes", async () => {
  const no = await asked("no\n");
  expect(no.said).toContain(VAIN);
  expect(no.refused).toBe('the answer is "no", must be yes; nothing was done');
  expect((await asked("yes\n")).refused).toBeNull();
});

test("an input that has ended answers nothing, and is not waited for", async () => {
  expect((await asked("", { isOver: true })).refused).toBe('the answer is "", must be yes; nothing was done');
  expect((await asked("")).refused).toBe('the answer is "", must be yes; nothing was done');
});

test("a program is never asked: it reads the warnings of its quote; nor is who said --yes", async () => {
  expect(await asked("", { isInteractive: false })).toEqual({ refused: null, said: "", quotes: 0 });
  expect(await asked("", { yes: true })).toEqual({ refused: null, said: "", quotes: 0 });
});
