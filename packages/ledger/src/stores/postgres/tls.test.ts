import { writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { selfSigned } from "../../../../../test/certificate.kit.ts";
import { openPostgres } from "../../../../../test/postgres.kit.ts";
import { postgresStore } from "./postgres.ts";
import { withTls } from "./tls.ts";

test.each([
  ["postgres://u:p@db.example.org/d", "postgres://u:p@db.example.org/d?sslmode=verify-full"],
  ["postgres://u@db/d?application_name=x", "postgres://u@db/d?application_name=x&sslmode=verify-full"],
  ["postgres://u@10.0.0.1:5433/d?sslmode=disable", null],
  ["postgres://u@localhost/d", null],
  ["postgres://u@127.0.0.1/d", null],
  ["postgres://u@[::1]/d", null],
  ["postgres://u@/d?host=/run/postgresql", null],
  ["postgres://x/d?host=/run/postgresql", null],
])("%s becomes %s", (url, verified) => {
  expect(withTls(url)).toBe(verified ?? url);
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;

test.skipIf(outside === undefined)(
  "off this machine, a database without a trusted certificate is refused in words; this needs a network address",
  async () => {
    const host = outside ?? "";
    const { certificate, key } = selfSigned(host);
    const server = await openPostgres({
      settings: {
        listen_addresses: "*",
        fsync: "on",
        ssl: "on",
        ssl_cert_file: "server.crt",
        ssl_key_file: "server.key",
      },
      files: { "server.crt": certificate, "server.key": key },
      access: [`hostssl all postgres ${host}/32 trust`],
    });
    try {
      const url = server.url.replace("127.0.0.1", host);
      await expect(postgresStore(url)).rejects.toThrow("name its authority by NODE_EXTRA_CA_CERTS=<file>");
      const ca = join(tmpdir(), "dosimeter-tls-ca.pem");
      await writeFile(ca, certificate);
      const trusted = await postgresStore(`${url}?sslrootcert=${encodeURIComponent(ca)}`);
      await trusted.close();
      const plain = await openPostgres({
        settings: { listen_addresses: "*" },
        access: [`host all all ${host}/32 trust`],
      });
      try {
        const refused = postgresStore(plain.url.replace("127.0.0.1", host));
        await expect(refused).rejects.toThrow("takes no TLS; switch it on there, or add ?sslmode=disable");
      } finally {
        await plain.close();
      }
    } finally {
      await server.close();
    }
  },
);
