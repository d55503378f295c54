import { describe, expect, test } from "vitest";
import { answer, type Question, type Resource } from "./library.ts";

const base = "https://here.example/scim/v2";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const barbara: Resource = {
  id: "usr_1",
  externalId: "BJ",
  userName: "bjensen",
  displayName: "Barbara Jensen",
  name: { familyName: "O'Malley" },
  title: "Tour guide",
  userType: "Employee",
  emails: [{ type: "work", value: "b@example.com", primary: true }],
  ims: [{ type: "xmpp", value: "b@foo.com" }],
  active: true,
  meta: { resourceType: "User", lastModified: "2012-05-13T04:42:34Z" },
};
const jim: Resource = { id: "usr_2", externalId: "bj", userName: "Jim@Example.org", userType: "Intern", active: false };

async function found(filter: string) {
  const said = await answer({ ask: "match", kind: "User", resources: [barbara, jim], filter });
  return "refused" in said ? said.refused.scimType : said.value;
}

describe("a filter of RFC 7644, section 3.4.2.2", () => {
  test.each<[string, readonly string[]]>([
    ['userName eq "bjensen"', ["usr_1"]],
    [`name.familyName co "O'Malley"`, ["usr_1"]],
    ['userName sw "J"', ["usr_2"]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"', ["usr_2"]],
    ["title pr", ["usr_1"]],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"', ["usr_1"]],
    ['meta.lastModified ge "2011-05-13T04:42:34Z"', ["usr_1"]],
    ['meta.lastModified lt "2011-05-13T04:42:34Z"', []],
    ['meta.lastModified le "2012-05-13T04:42:34Z"', ["usr_1"]],
    ['title pr and userType eq "Employee"', ["usr_1"]],
    ['title pr or userType eq "Intern"', ["usr_1", "usr_2"]],
    ['userType eq "Employee" and (emails.value co "example.com" or emails.value co "example.org")', ["usr_1"]],
    ['userType ne "Employee" and not (emails.value co "example.com" or emails.value co "example.org")', ["usr_2"]],
    ['userType eq "Employee" and (emails.type eq "work")', ["usr_1"]],
    ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', ["usr_1"]],
    ['emails[type eq "home" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]', ["usr_1"]],
    ["active eq false", ["usr_2"]],
  ])("%s", async (filter, ids) => {
    expect(await found(filter)).toEqual(ids);
  });

  test("compares user names without regard to case and the names of a provider's own exactly", async () => {
    expect(await found('UserName EQ "JIM@example.org"')).toEqual(["usr_2"]);
    expect(await found('externalId eq "bj"')).toEqual(["usr_2"]);
  });

  test.each([
    "userName",
    'userName eq "a',
    "(userName pr",
    "not not (a pr)",
    'emails co "a"',
    `title eq "${"a".repeat(500)}"`,
  ])("that is broken, not offered or too long is refused: %s", async (filter) => {
    expect(await found(filter)).toBe("invalidFilter");
  });
});

test("a list leaves out what is not wanted, and says where its part stands", async () => {
  const group = { id: "grp_1", displayName: "Tour", members: [{ value: "usr_1" }] };
  const query = { base, excludedAttributes: "members" };
  const said = await answer({ ask: "list", kind: "Group", resources: [group], query, total: 250, startIndex: 201 });
  const { value } = said as { value: { Resources: readonly Resource[] } };
  expect(value).toMatchObject({ totalResults: 250, startIndex: 201, itemsPerPage: 1 });
  expect(value.Resources[0]).toMatchObject({ id: "grp_1", displayName: "Tour" });
  expect(value.Resources[0]).not.toHaveProperty("members");
});

async function patched(kind: "User" | "Group", resource: Resource, ...operations: readonly object[]) {
  const body = { schemas: [PATCH], Operations: operations };
  const said = await answer({ ask: "patch", kind, resource, body } as Question);
  return "refused" in said ? said.refused.scimType : (said.value as Resource);
}

describe("a patch of RFC 7644, section 3.5.2", () => {
  const tour = { id: "grp_1", displayName: "Tour", members: [{ value: "usr_1" }, { value: "usr_2" }] };
  const members = (...ids: readonly string[]) => ({ members: ids.map((value) => ({ value })) });

  test.each<[string, object, object]>([
    ["adds a member", { op: "add", path: "members", value: [{ value: "usr_3" }] }, members("usr_1", "usr_2", "usr_3")],
    ["removes one by a filter", { op: "remove", path: 'members[value eq "usr_1"]' }, members("usr_2")],
    ["removes one by its value", { op: "Remove", path: "members", value: [{ value: "usr_1" }] }, members("usr_2")],
    ["removes two by a filter", { op: "remove", path: 'members[value eq "usr_1" or value eq "x"]' }, members("usr_2")],
    ["replaces all", { op: "replace", path: "members", value: [{ value: "usr_3" }] }, members("usr_3")],
    [
      "renames, with the id in it",
      { op: "replace", value: { id: "grp_1", displayName: "Guides" } },
      { displayName: "Guides" },
    ],
  ])("%s", async (_, operation, expected) => {
    expect(await patched("Group", tour, operation)).toMatchObject(expected);
  });

  test("removes all members", async () => {
    expect(await patched("Group", tour, { op: "remove", path: "members" })).not.toHaveProperty("members");
  });

  test.each<[string, object, object]>([
    ["without a path", { op: "replace", value: { active: false } }, { active: false }],
    ["by a path", { op: "Replace", path: "active", value: "False" }, { active: false }],
    [
      "inside a list",
      { op: "replace", path: 'emails[type eq "work"].value', value: "new@example.com" },
      { emails: [{ type: "work", value: "new@example.com", primary: true }] },
    ],
    [
      "of an extension",
      { op: "add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", value: "Tours" },
      { userName: "bjensen" },
    ],
  ])("of a person: %s", async (_, operation, expected) => {
    expect(await patched("User", barbara, operation)).toMatchObject(expected);
  });

  test.each<[object, string]>([
    [{ op: "remove" }, "noTarget"],
    [{ op: "explode", path: "active" }, "invalidSyntax"],
    [{ op: "replace", path: "__proto__", value: { admin: true } }, "invalidPath"],
    [{ op: "replace", path: "nothing", value: 1 }, "invalidPath"],
    [{ op: "replace", path: "id", value: "usr_9" }, "mutability"],
    [{ op: "replace", path: "active", value: 7 }, "invalidValue"],
    [{ op: "remove", path: `members[value eq "${"a".repeat(500)}"]` }, "invalidFilter"],
  ])("that is wrong is refused: %o", async (operation, scimType) => {
    expect(await patched("User", barbara, operation)).toBe(scimType);
  });

  test("with too many operations, or none, is refused", async () => {
    const one = { op: "replace", path: "active", value: false };
    expect(await patched("User", barbara, ...Array.from({ length: 201 }, () => one))).toBe("invalidValue");
    expect(await patched("User", barbara)).toBe("invalidValue");
  });
});
