import { describe, expect, test } from "vitest";
import { groupKeyIn, partOf, userKeyIn } from "./list.ts";

describe("a part of a list", () => {
  test.each([
    [{}, 0, 100],
    [{ count: "1000" }, 0, 100],
    [{ startIndex: "201", count: "80" }, 200, 80],
    [{ count: "0" }, 0, 0],
    [{ startIndex: "-3", count: "-1" }, 0, 0],
  ])("%o", (query, from, count) => {
    expect(partOf(query)).toEqual({ from, count });
  });

  test.each([{ startIndex: "x" }, { count: "1.5" }, { count: "" }])("is refused: %o", (query) => {
    expect(() => partOf(query)).toThrow(/must be whole numbers/);
  });
});

describe("a filter that an index answers", () => {
  test.each([
    ['userName eq "a\\"b"', { userName: 'a"b' }],
    [' urn:ietf:params:scim:schemas:core:2.0:User:username EQ "A" ', { userName: "A" }],
    ['externalId eq "x"', { externalId: "x" }],
    ['id eq "usr_1"', { ids: ["usr_1"] }],
    ['emails.value eq "a@b"', { email: "a@b" }],
    ['emails[type eq "work"].value eq "a@b"', { email: "a@b" }],
  ])("of people: %s", (filter, key) => {
    expect(userKeyIn(filter)).toEqual(key);
  });

  test.each([
    ['displayName eq "Epi"', { displayName: "Epi" }],
    ['members.value eq "usr_1"', { member: "usr_1" }],
    ['externalId eq "g"', { externalId: "g" }],
    ['id eq "grp_1"', { ids: ["grp_1"] }],
  ])("of groups: %s", (filter, key) => {
    expect(groupKeyIn(filter)).toEqual(key);
  });

  test.each([
    'userName sw "a"',
    'userName eq "a" and active eq true',
    'userName eq "a" or userName eq "b"',
    'not (userName eq "a")',
    'emails[type eq "home"].value eq "a"',
    'displayName eq "a"',
    "userName eq 1",
    'userName eq "\\x"',
    `userName eq "${"a".repeat(500)}"`,
    "",
  ])("is none of: %s", (filter) => {
    expect(userKeyIn(filter)).toBeNull();
  });
});
