import { expect, test } from "vitest";
import { checkPassword, hashPassword, verifyPassword } from "./password.ts";

test("the right password passes, everything else does not", async () => {
  const stored = await hashPassword("correct horse battery");
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verifyPassword("correct horse battery", stored)).toBe(true);
  expect(await verifyPassword("correct horse batterz", stored)).toBe(false);
  expect(await verifyPassword("anything", null)).toBe(false);
  expect(await verifyPassword("anything", "$argon2id$broken")).toBe(false);
  expect(await hashPassword("correct horse battery")).not.toBe(stored);
});

test("however many are tried at once, the others are served: 42 are taken, and the rest may come again", async () => {
  const stored = await hashPassword("correct horse battery");
  const tried = await Promise.allSettled(Array.from({ length: 50 }, () => verifyPassword("a guess", stored)));
  const refused = tried.flatMap((one) => (one.status === "rejected" ? [(one.reason as { code: string }).code] : []));
  expect(refused).toEqual(Array.from({ length: 8 }, () => "RATE_LIMITED"));
  expect(await verifyPassword("correct horse battery", stored)).toBe(true);
});

test("composed and decomposed letters are one password", async () => {
  expect(await verifyPassword("cafe\u0301 au lait", await hashPassword("caf\u00e9 au lait"))).toBe(true);
});

test.each(["ana silva 1", "aaaaaaaaaaaaaa", "ana@example.org", "abababababab"])("%s is refused", (password) => {
  expect(() => checkPassword(password, { name: "Ana Silva", email: "ana@example.org" })).toThrow();
});
