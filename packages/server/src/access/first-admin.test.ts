import { createClient } from "@dosimeter/client";
import type { PrivacyError } from "@dosimeter/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { clientOf, ORIGIN, openTestInstance } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { openFirstAdmin } from "./first-admin.ts";
import { usualRates } from "./rates.ts";

let place: string;
let instance: Instance;
const lines: string[] = [];
const open = async () => {
  const log = (_: string, fields?: object) => void lines.push(JSON.stringify(fields ?? {}));
  return openTestInstance({ folder: place, log: { info: log, error: log } });
};

beforeEach(async () => {
  place = temporaryFolder();
  instance = await open();
  lines.length = 0;
});
afterEach(() => instance.close());

const anyone = () => createClient({ url: ORIGIN, fetch: (request) => instance.fetch(request) });
const refused = (run: Promise<unknown>) =>
  run.then(
    () => "done",
    ({ code }: PrivacyError) => code,
  );
const issued = async () => (await instance.firstAdminCode()) ?? "";
const ADA = { name: "Ada", email: "ada@example.org", password: "engine of analysis" };

test("the printed code makes the first admin, once, however it is typed; the log never holds it", async () => {
  expect((await anyone().showSession()).firstAdmin, "nothing was printed").toBe(false);
  const code = await issued();
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  expect((await anyone().showSession()).firstAdmin).toBe(true);
  expect(await refused(anyone().createFirstAdmin({ ...ADA, code: "0000-0000-0000-0000" }))).toBe("UNAUTHENTICATED");
  const typed = code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l");
  const ada = await anyone().createFirstAdmin({ ...ADA, code: typed });
  expect(ada).toMatchObject({ person: { name: "Ada", demo: false }, hasPassword: true });
  expect(ada.roles).toMatchObject([{ role: "platformAdmin", object: { kind: "platform" } }]);
  expect(await refused(anyone().createFirstAdmin({ name: "Eve", code }))).toBe("CONFLICT");
  expect(await anyone().showSession()).toMatchObject({ me: null, firstAdmin: false });
  expect(await instance.firstAdminCode()).toBeNull();
  expect((await anyone().signIn({ email: ADA.email, password: ADA.password })).person.name).toBe("Ada");
  expect(lines.join()).not.toContain(code);
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("of ten tabs at once one wins", async () => {
  const code = await issued();
  const tries = Array.from({ length: 10 }, (_, n) => refused(anyone().createFirstAdmin({ name: `Ada ${n}`, code })));
  const codes = await Promise.all(tries);
  expect(codes.filter((one) => one === "done")).toHaveLength(1);
  expect(new Set(codes)).toEqual(new Set(["done", "CONFLICT"]));
  expect((await instance.database.people.principals()).filter(({ kind }) => kind === "user")).toHaveLength(1);
});

test("after a restart another code works, and the one before does not", async () => {
  const before = await issued();
  await instance.close();
  instance = await open();
  const code = await issued();
  expect(code).not.toBe(before);
  expect(await refused(anyone().createFirstAdmin({ name: "Eve", code: before }))).toBe("UNAUTHENTICATED");
  expect(await refused(anyone().createFirstAdmin({ name: "Ada", code }))).toBe("done");
});

test("a code works for a day; then a restart prints another", async () => {
  let hours = 0;
  const code = openFirstAdmin(instance.database, { now: () => hours * 3_600_000 });
  const given = { code: (await code.issue()) ?? "", name: "Ada" };
  hours = 23.9;
  expect(await code.isOpen()).toBe(true);
  hours = 24;
  expect(await code.isOpen()).toBe(false);
  expect(await refused(code.create(given))).toBe("CONFLICT");
  expect(await refused(code.create({ ...given, code: (await code.issue()) ?? "" }))).toBe("done");
});

test("an admin who came by another way ends the code permanently", async () => {
  const code = await issued();
  const operator = clientOf(instance, instance.operatorToken);
  const { id: person } = await operator.createPerson({ name: "Lea" });
  expect((await anyone().showSession()).firstAdmin, "a person who is no admin").toBe(true);
  await operator.grantRole({ person, role: "platformAdmin", object: { kind: "platform" } });
  await operator.removePerson({ person });
  expect((await anyone().showSession()).firstAdmin).toBe(false);
  expect(await refused(anyone().createFirstAdmin({ name: "Eve", code }))).toBe("CONFLICT");
});

test("a demo prints no code and takes none", async () => {
  const code = await issued();
  await instance.createDemoPerson("Dana");
  expect(await instance.firstAdminCode()).toBeNull();
  expect(await anyone().showSession()).toMatchObject({ demo: "on", firstAdmin: false });
  expect(await refused(anyone().createFirstAdmin({ name: "Eve", code }))).toBe("CONFLICT");
});

test("what is wrong with the rest is said, and the code still works", async () => {
  const code = await issued();
  const password = ADA.password;
  expect(await refused(anyone().createFirstAdmin({ name: "Ada", code, password }))).toBe("INVALID_PARAMETER");
  expect(await refused(anyone().createFirstAdmin({ ...ADA, code, password: "ada@example.org" }))).toBe(
    "INVALID_PARAMETER",
  );
  expect(await refused(anyone().createFirstAdmin({ ...ADA, code }))).toBe("done");
});

test("guesses are counted with the other secrets that an address tries", async () => {
  const slow = await openTestInstance({
    rates: { ...usualRates, signIn: { burst: 2, perMinute: 1e-3 } },
    publicUrl: ORIGIN,
  });
  await slow.firstAdminCode();
  const guess = () =>
    refused(
      createClient({
        url: ORIGIN,
        fetch(request) {
          request.headers.set("x-forwarded-for", "198.51.100.9");
          return slow.fetch(request);
        },
      }).createFirstAdmin({ name: "Eve", code: "0000-0000-0000-0000" }),
    );
  expect([await guess(), await guess(), await guess()]).toEqual(["UNAUTHENTICATED", "UNAUTHENTICATED", "RATE_LIMITED"]);
  await slow.close();
});
