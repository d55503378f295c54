import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { said } from "../terminal.kit.ts";

test("no name of a schema, which a database chooses, controls the terminal", async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ problem: null, schemas: ["ward", "\u001b]0;owned\u0007\nIt works."] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { out } = await said(["check", "connection", "clinic", "--url", url], { env: { DOSIMETER_TOKEN: "token" } });
    expect(out.split("\n")[0]).toBe("clinic works. Its role sees ward, \\x1b]0;owned\\x07\\x0aIt works..");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
