import { expect, test } from "vitest";
import { counterOfMessages, cstring, int32, message, messagesIn } from "./encode.ts";
import { countUnsent } from "./stream.ts";

const rows = (count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => message("D", int32(7))));

test("messages are counted over parts that end anywhere", () => {
  const bytes = Buffer.concat([
    message("T"),
    rows(20),
    message("C", cstring("SELECT 20")),
    message("Z", Buffer.from("I")),
  ]);
  for (const length of [1, 3, 4, 5, 6, 7, 64, bytes.length]) {
    const count = counterOfMessages();
    let said = 0;
    for (let at = 0; at < bytes.length; at += length) said = count(bytes.subarray(at, at + length));
    expect(said).toBe(23);
  }
});

test("rows that follow each other are one object, with all their bytes", () => {
  const bytes = Buffer.concat([message("T"), rows(50_000), message("C", cstring("SELECT 50000")), rows(1)]);
  const found = messagesIn(bytes);
  expect(found.map(({ type }) => type)).toEqual(["T", "D", "C", "D"]);
  expect(Buffer.concat(found.map(({ whole }) => whole))).toEqual(bytes);
});

test("large answers that wait are counted for a person and for all, until each is sent", () => {
  const hold = countUnsent();
  const large = 2 ** 26;
  const sent = [hold("one", large), hold("one", large)];
  expect(() => hold("one", large)).toThrow("too many answers wait to be read");
  hold("one", 1000);
  for (const person of ["b", "b", "c", "c", "d", "d"]) hold(person, large);
  expect(() => hold("e", large)).toThrow("too many answers wait to be read");
  for (const done of [...sent, ...sent]) done();
  hold("e", large);
  hold("e", large);
  expect(() => hold("f", large)).toThrow("too many answers wait to be read");
});
