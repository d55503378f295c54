import type { Client, Output } from "@dosimeter/client";
import { TOTP } from "otpauth";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { browserOf, clientOf, codeOf, openTestInstance } from "../instance.kit.ts";
import { usualRates } from "./rates.ts";

const PASSWORD = "correct horse battery";
const MINUTE_MS = 60_000;

type Instance = Awaited<ReturnType<typeof openTestInstance>>;
let instance: Instance;

const browser = () => browserOf(instance.fetch);
const operator = () => clientOf(instance, instance.operatorToken);

/** A person with a password, and a browser in which they are signed in. */
async function join(name: string) {
  const email = `${name.toLowerCase()}@example.org`;
  const { id } = await operator().createPerson({ name, email });
  const { url } = await operator().createSignInLink({ person: id });
  const here = browser();
  await here.signIn({ link: new URL(url).hash.slice(1) });
  await here.setPassword({ password: PASSWORD });
  return { id, here, login: { email, password: PASSWORD } };
}

type Started = Output<"beginSecondFactor">;

/** What an app shows for the secret; `steps` of half a minute from now. */
const app = ({ secret }: Started, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 });
const later = (minutes = 1) => vi.setSystemTime(Date.now() + minutes * MINUTE_MS);

async function enrol({ here }: { here: Client }) {
  const started = await here.beginSecondFactor({ password: PASSWORD });
  const { recoveryCodes } = await here.confirmSecondFactor({ code: app(started) });
  later();
  return { started, recoveryCodes };
}

const linesOf = async (action: string) => (await operator().listAudit({ action, limit: 20 })).items;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  instance = await openTestInstance({ secondFactor: "admins" });
});
afterEach(async () => {
  vi.useRealTimers();
  await instance.close();
});

describe("a second factor", () => {
  test("asks for a code with the password from its confirmation on, and takes each code once", async () => {
    const ana = await join("Ana");
    const elsewhere = browser();
    await elsewhere.signIn(ana.login);
    expect(await codeOf(ana.here.beginSecondFactor({ password: "not this one" }))).toBe("FORBIDDEN");
    const started = await ana.here.beginSecondFactor({ password: PASSWORD });
    expect(started.url).toMatch(/^otpauth:\/\/totp\/.*ana%40example\.org\?.*secret=[A-Z2-7]{32}&/);
    expect(started.svg).toMatch(/^<svg /);
    expect(await codeOf(browser().signIn(ana.login)), "not before it is confirmed").toBe("done");
    expect(await codeOf(ana.here.confirmSecondFactor({ code: "000000" }))).toBe("FORBIDDEN");
    await ana.here.confirmSecondFactor({ code: app(started) });
    expect(await codeOf(elsewhere.me()), "every other browser is signed out").toBe("UNAUTHENTICATED");
    expect(await codeOf(browser().signIn(ana.login))).toBe("SECOND_FACTOR");
    expect(
      await codeOf(browser().signIn({ ...ana.login, code: app(started) })),
      "the code that confirmed it is used up",
    ).toBe("FORBIDDEN");
    later();
    const code = app(started);
    const tries = await Promise.all([1, 2, 3].map(() => codeOf(browser().signIn({ ...ana.login, code }))));
    expect(tries.toSorted(), "one of three at once gets in").toEqual(["FORBIDDEN", "FORBIDDEN", "done"].toSorted());
    expect(await codeOf(browser().signIn({ ...ana.login, code: app(started, -1) })), "nor an earlier one").toBe(
      "FORBIDDEN",
    );
    expect((await ana.here.showSecondFactor()).since).not.toBeNull();
    expect(await codeOf(ana.here.beginSecondFactor({ password: PASSWORD }))).toBe("CONFLICT");
  });

  test("takes the step before and after, and none further away", async () => {
    const ana = await join("Ana");
    const { started } = await enrol(ana);
    for (const [steps, want] of [
      [-2, "FORBIDDEN"],
      [2, "FORBIDDEN"],
      [-1, "done"],
      [1, "done"],
    ] as const)
      expect(await codeOf(browser().signIn({ ...ana.login, code: app(started, steps) })), `${steps}`).toBe(want);
  });

  test("says nothing to who does not know the password", async () => {
    const ana = await join("Ana");
    const { started } = await enrol(ana);
    const wrong = { ...ana.login, password: "wrong horse battery" };
    expect(await codeOf(browser().signIn(wrong))).toBe("UNAUTHENTICATED");
    expect(await codeOf(browser().signIn({ ...wrong, code: app(started) }))).toBe("UNAUTHENTICATED");
    expect(await codeOf(browser().startSecondFactor(wrong))).toBe("UNAUTHENTICATED");
    expect(await codeOf(browser().startSecondFactor(ana.login)), "nobody begins another").toBe("SECOND_FACTOR");
  });

  test("leaves a line for each right password without a code, and none of them reads as a refusal", async () => {
    await instance.close();
    const few = { burst: 3, perMinute: 1e-6 };
    instance = await openTestInstance({
      metrics: true,
      rates: { ...usualRates, refusedSignIn: few, refusedSignInAs: few },
    });
    const ana = await join("Ana");
    await enrol(ana);
    expect(await codeOf(browser().signIn(ana.login))).toBe("SECOND_FACTOR");
    expect(await codeOf(browser().startSecondFactor(ana.login))).toBe("SECOND_FACTOR");
    await instance.settled();
    const lines = await linesOf("signIn.await");
    expect(lines.map(({ subject }) => subject)).toEqual([ana.id, ana.id]);
    expect(lines[0]?.detail).toMatchObject({ method: "password", code: "SECOND_FACTOR" });
    expect(await linesOf("signIn.refuse")).toEqual([]);
    const metrics = await (await instance.fetch(new Request("http://instance.test/metrics"))).text();
    expect(metrics).toContain('dosimeter_sign_ins_refused_total{method="password",code="SECOND_FACTOR"} 2');
    for (const _ of [3, 4]) await codeOf(browser().signIn(ana.login));
    await codeOf(browser().signIn({ ...ana.login, password: "wrong horse battery" }));
    await instance.settled();
    expect(await linesOf("signIn.await"), "three and no more").toHaveLength(3);
    expect(await linesOf("signIn.refuse"), "and they hide no refusal").toHaveLength(1);
  });

  test("is guessed eight times and no more", async () => {
    await instance.close();
    // However slow the machine is, nothing is forgiven meanwhile.
    instance = await openTestInstance({ rates: { ...usualRates, secondFactor: { burst: 8, perMinute: 1e-3 } } });
    const ana = await join("Ana");
    const { started } = await enrol(ana);
    const guesses: string[] = [];
    for (let n = 0; n < 8; n += 1) guesses.push(await codeOf(ana.here.endSecondFactor({ code: "000000" })));
    expect(guesses, "confirming it was a try too").toEqual([...Array<string>(7).fill("FORBIDDEN"), "RATE_LIMITED"]);
    expect(await codeOf(browser().signIn({ ...ana.login, code: app(started) })), "also the right one").toBe(
      "RATE_LIMITED",
    );
  });

  test("has recovery codes, each good once however it is typed, and only their hashes are kept", async () => {
    const ana = await join("Ana");
    const { recoveryCodes } = await enrol(ana);
    expect(new Set(recoveryCodes).size).toBe(10);
    const [first = "", second = ""] = recoveryCodes;
    expect(first).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    await browser().signIn({ ...ana.login, code: first.toUpperCase().replaceAll("-", " ") });
    expect(await codeOf(browser().signIn({ ...ana.login, code: first }))).toBe("FORBIDDEN");
    await browser().signIn({ ...ana.login, code: second });
    expect((await ana.here.showSecondFactor()).recoveryLeft).toBe(8);
    expect(await linesOf("secondFactor.recover")).toHaveLength(2);
    const kept = JSON.stringify(await operator().listAudit({ limit: 100 }));
    for (const code of recoveryCodes) expect(kept).not.toContain(code);
    expect((await ana.here.listNotifications()).items.map(({ kind }) => kind)).toContain("security");
  });

  test("is given up with a code, and ended by an admin with a reason that the audit keeps", async () => {
    const [ana, bob] = [await join("Ana"), await join("Bob")];
    const { started } = await enrol(ana);
    await enrol(bob);
    const known = async (client: Client) =>
      (await client.listPeople({ limit: 100 })).items.find(({ id }) => id === bob.id)?.hasSecondFactor;
    expect([await known(operator()), await known(ana.here)], "for admins alone").toEqual([true, undefined]);
    expect(await codeOf(ana.here.endSecondFactor({ code: "000000" }))).toBe("FORBIDDEN");
    await ana.here.endSecondFactor({ code: app(started) });
    expect(await codeOf(browser().signIn(ana.login))).toBe("done");
    expect(await codeOf(ana.here.removeSecondFactor({ person: bob.id, reason: "mine now" }))).toBe("FORBIDDEN");
    await operator().removeSecondFactor({ person: bob.id, reason: "lost the phone" });
    expect(await codeOf(browser().signIn(bob.login))).toBe("done");
    expect(await known(operator())).toBe(false);
    expect(await codeOf(operator().removeSecondFactor({ person: bob.id, reason: "again" }))).toBe("NOT_FOUND");
    const lines = await linesOf("secondFactor.end");
    expect(lines.map(({ detail }) => (detail as { reason?: string }).reason)).toEqual(["lost the phone", undefined]);
  });

  test("of an admin is not ended by that admin without a code, by browser or token", async () => {
    const ana = await join("Ana");
    await operator().grantRole({ person: ana.id, role: "platformAdmin", object: { kind: "platform" } });
    const { started } = await enrol(ana);
    const { secret } = await ana.here.createToken({ name: "mine", scopes: ["read", "admin"] });
    const own = { person: ana.id, reason: "lost the phone" };
    for (const one of [ana.here, clientOf(instance, secret)])
      expect(await codeOf(one.removeSecondFactor(own))).toBe("FORBIDDEN");
    expect(await codeOf(browser().signIn(ana.login))).toBe("SECOND_FACTOR");
    expect(await codeOf(browser().signIn({ ...ana.login, code: app(started) }))).toBe("done");
  });

  test("goes with a person who is removed", async () => {
    const ana = await join("Ana");
    await enrol(ana);
    await operator().removePerson({ person: ana.id });
    await operator().restorePerson({ person: ana.id });
    expect(await codeOf(operator().removeSecondFactor({ person: ana.id, reason: "is there one?" }))).toBe("NOT_FOUND");
  });
});

describe("a second factor that the server asks of admins", () => {
  test("is set up at the next sign-in by password, before there is a session", async () => {
    const lea = await join("Lea");
    expect(await codeOf(browser().startSecondFactor(lea.login)), "no admin yet").toBe("CONFLICT");
    await operator().grantRole({ person: lea.id, role: "platformAdmin", object: { kind: "platform" } });
    const next = browser();
    expect(await codeOf(next.signIn(lea.login))).toBe("SECOND_FACTOR");
    expect(await codeOf(next.me())).toBe("UNAUTHENTICATED");
    const started = await next.startSecondFactor(lea.login);
    expect(await codeOf(next.signIn({ ...lea.login, code: "000000" }))).toBe("FORBIDDEN");
    const begun = await next.signIn({ ...lea.login, code: app(started) });
    expect(begun.recoveryCodes).toHaveLength(10);
    expect((await next.me()).person.name).toBe("Lea");
    later();
    expect((await browser().signIn({ ...lea.login, code: app(started) })).recoveryCodes).toBeUndefined();
  });

  test("that someone else begins in the place of mine is said to me, by the refused code and by a notification", async () => {
    const lea = await join("Lea");
    await operator().grantRole({ person: lea.id, role: "platformAdmin", object: { kind: "platform" } });
    const mine = await lea.here.beginSecondFactor({ password: PASSWORD });
    const notices = async () =>
      (await lea.here.listNotifications()).items.filter(({ title }) => /began to set up/.test(title));
    expect(await notices(), "not of one's own").toEqual([]);
    await browser().startSecondFactor(lea.login);
    await expect(lea.here.confirmSecondFactor({ code: app(mine) })).rejects.toThrow(/another app was begun since/);
    expect(await notices()).toHaveLength(1);
    const lines = await linesOf("secondFactor.begin");
    expect(lines.map(({ detail }) => (detail as { how: string }).how)).toEqual(["signIn", "settings"]);
  });

  test("is asked of everyone where the setting says all, and never where passwords are off", async () => {
    await instance.close();
    instance = await openTestInstance({ secondFactor: "all" });
    const ana = await join("Ana");
    expect(await codeOf(browser().signIn(ana.login))).toBe("SECOND_FACTOR");
    await instance.close();
    instance = await openTestInstance({ signIn: "providers" });

    expect(await codeOf(browser().startSecondFactor(ana.login))).toBe("FORBIDDEN");
    expect(await codeOf(operator().beginSecondFactor({ password: PASSWORD }))).toBe("FORBIDDEN");
  });
});
