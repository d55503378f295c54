import { expect, test } from "vitest";
import { message, openFrozen } from "../../../../test/frozen.kit.ts";
import { within } from "../../../../test/within.kit.ts";
import { postgresEngine } from "./engine.ts";

// What the driver throws while it reads would end the process: here it would fail the run.

const source = { postgres: { connection: "clinic", schema: "s", table: "t" } };
const unreached = "the database could not be reached, or did not answer in time";
const refusal = (code: string) => message("E", `SFATAL\0C${code}\0Mno\0\0`);

test.each([
  ["a way to sign in that there is none of", message("R", Uint8Array.of(0, 0, 0, 99))],
  ["an error whose code every object has", refusal("constructor")],
  ["one that is the prototype of every object", refusal("__proto__")],
])("a host that answers who signs in with %s is one that cannot be reached", async (_, first) => {
  const host = await openFrozen({ first, closes: true });
  const engine = await postgresEngine({ connections: { clinic: { url: host.url } } });
  try {
    expect(await within("a probe", engine.probe())).toEqual({ clinic: unreached });
    await expect(within("a job", engine.list(source))).rejects.toThrow(`"clinic" cannot be used: ${unreached}`);
  } finally {
    await engine.close();
    await host.close();
  }
});

test.each([
  ["a row that is shorter than it says", message("D", Uint8Array.of(0x7f, 0xff, 0, 0, 0, 1))],
  ["a description of columns that it leaves out", message("T", Uint8Array.of(0x7f, 0xff))],
  ["a message without a body", message("T", "")],
  ["a code that every object has", Buffer.concat([refusal("toString"), message("Z", "I")])],
])("a host that answers a statement with %s ends its own jobs only", async (_, said) => {
  const host = await openFrozen({ closes: true, next: (socket) => void socket.write(said) });
  const engine = await postgresEngine({ connections: { clinic: { url: host.url } } });
  try {
    await expect(within("a job", engine.list(source))).rejects.toThrow(`"clinic" cannot be used: ${unreached}`);
    expect(await within("a probe", engine.probe())).toEqual({ clinic: null });
  } finally {
    await engine.close();
    await host.close();
  }
});
