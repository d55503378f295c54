import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { clientOf } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";
import { rotateKeySecret } from "./signing.ts";

test("an admin sees how old each secret of this installation is and what replaces it, and no value", async () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const secret = "a key secret of thirty letters";
  const password = "the password of the mail server";
  await writeFile(at("work.secret"), "the secret of a provider");
  await writeFile(at("mail.url"), `smtps://me:${password}@mail.example.org`);
  await writeFile(at("clinic.password"), "the password of clinic");
  for (const file of ["work.secret", "mail.url", "clinic.password"])
    await utimes(at(file), new Date("2026-01-02"), new Date("2026-01-02"));
  const clinic = { url: "postgres://reader@127.0.0.1:1/clinic", passwordFile: "clinic.password" };
  const provider = { id: "work", name: "Work", issuer: "https://127.0.0.1:1", clientId: "d" };
  const options = {
    folder: at("data"),
    sources: { inline: { clinic, lake: { url: "postgres://reader@127.0.0.1:1/lake" } }, folder },
    oidc: [{ ...provider, clientSecret: "the secret of a provider", secretFile: at("work.secret") }],
    mail: { url: `smtps://me:${password}@mail.example.org`, from: "d@example.org" },
    secretFiles: { DOSIMETER_MAIL_URL: at("mail.url") },
  };
  const listed = async (keySecret: string) => {
    const instance = await openInstance({ ...options, keySecret });
    const { items } = await clientOf(instance, instance.operatorToken).listSecrets();
    await instance.close();
    return items;
  };
  const items = await listed(secret);
  const rows = Object.fromEntries(items.map(({ name, ...row }) => [name, row]));
  expect(rows["Secret of Work"]).toEqual({
    replacedAt: "2026-01-02T00:00:00.000Z",
    command: "dosimeter rotate provider work --secret <file>",
    servers: "restarted",
  });
  expect(rows["Password of the connection clinic"]).toMatchObject({
    replacedAt: "2026-01-02T00:00:00.000Z",
    command: "dosimeter rotate source clinic",
  });
  expect(rows["Password of the connection lake"]).toMatchObject({ replacedAt: null });
  expect(rows["Mail server (DOSIMETER_MAIL_URL)"]).toMatchObject({
    replacedAt: "2026-01-02T00:00:00.000Z",
    command: "replace the file of DOSIMETER_MAIL_URL_FILE",
  });
  for (const name of ["Key that signs exports", "DOSIMETER_KEY_SECRET", "Operator's token"])
    expect(Date.parse(rows[name]?.replacedAt ?? ""), name).toBeGreaterThan(Date.now() - 600_000);
  expect(JSON.stringify(items)).not.toMatch(/the (password|secret) of (a|the|clinic)\b|thirty letters/);
  await rotateKeySecret({ folder: options.folder, keySecret: secret }, `${secret}, another`);
  const after = (await listed(`${secret}, another`)).find(({ name }) => name === "DOSIMETER_KEY_SECRET");
  expect((after?.replacedAt ?? "") > (rows.DOSIMETER_KEY_SECRET?.replacedAt ?? "")).toBe(true);
});
