import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { limitConnections } from "./serve.ts";

test("a connection with a second request under way is not waiting once the first one has its answer", async () => {
  const signal = AbortSignal.timeout(60_000);
  const server = createServer();
  const second = new Promise<ServerResponse>((resolve) => {
    server.on("request", ({ url }, response) => {
      if (url === "/second") resolve(response);
      else response.end("one");
    });
  });
  limitConnections(server, 1);
  await once(server.listen(0, "127.0.0.1"), "listening", { signal });
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = connect(port, "127.0.0.1");
  const heads = ["/first", "/second"].map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  const answered = once(client, "data", { signal });
  client.write(heads.join(""));
  expect(String((await answered)[0])).toMatch(/one/);
  const response = await second;
  const newcomer = connect(port, "127.0.0.1").on("error", () => undefined);
  await once(newcomer, "close", { signal });
  const last = once(client, "data", { signal });
  response.end("two");
  expect(String((await last)[0])).toMatch(/two/);
});
