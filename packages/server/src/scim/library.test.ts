import { describe, expect, test } from "vitest";
import { answer, type Question } from "./library.ts";
import type { Resource } from "./resources.ts";

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

  const core = "urn:ietf:params:scim:schemas:core:2.0:User";
  const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

  test.each<[object]>([
    [{ op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+49 1" }],
    [{ op: "Replace", path: 'addresses[type eq "work"].formatted', value: "Here" }],
    [{ op: "Add", path: "addresses", value: "Here" }],
    [{ op: "Add", path: `${enterprise}:manager`, value: "usr_9" }],
    [{ op: "Replace", path: `${enterprise}:manager.value.x`, value: [1] }],
    [{ op: "Add", path: "urn:acme:2.0:User:active", value: true }],
    [{ op: "Add", path: 'roles[primary eq "True"].value', value: "{}" }],
    [{ op: "Remove", path: "roles[((" }],
    [{ op: "Add", path: `x[${"a".repeat(600)}`, value: 1 }],
    [
      {
        op: "add",
        value: { 'phoneNumbers[type eq "mobile"].value': "1", [enterprise]: { costCenter: 7 }, nickName: null },
      },
    ],
    [{ op: "replace", path: "__proto__", value: { admin: true } }],
    [{ op: "replace", path: "constructor.prototype", value: { admin: true } }],
    [{ op: "replace", path: "nothing", value: 1 }],
    [{ op: "replace", path: "id", value: "usr_9" }],
    [{ op: "replace", path: "groups", value: [{ value: "x" }] }],
    [{ op: "replace", path: "name.middleName", value: "M" }],
    [{ op: "replace", path: 'emails[type eq "work"].display', value: "M" }],
    [{ op: "Add", path: "password", value: "secret" }],
  ])("passes over what is not kept and does the rest: %j", async (odd) => {
    const off = { op: "Replace", path: "active", value: "False" };
    const { active: _, ...others } = barbara;
    for (const operations of [
      [odd, off],
      [off, odd],
    ]) {
      const said = (await patched("User", barbara, ...operations)) as Resource;
      expect(said).toMatchObject({ ...others, active: false });
    }
  });

  test.each<[object]>([
    [{ op: "replace", path: "active", value: false }],
    [{ op: "replace", path: "active", value: "false" }],
    [{ op: "replace", path: "active", value: 0 }],
    [{ op: "replace", path: "active", value: [{ value: "False" }] }],
    [{ OP: "REPLACE", Path: "ACTIVE", Value: "FALSE" }],
    [{ op: "Add", path: `${core}:active`, value: false }],
    [{ op: "replace", path: `${core.toUpperCase()}:Active`, value: false }],
    [{ op: "replace", value: { Active: "False" } }],
    [{ op: "add", value: { [core]: { active: false } } }],
    [{ op: "replace", path: core, value: { active: false } }],
    [{ op: "replace", path: "", value: { [`${core}:active`]: "false", "x[": 1 } }],
  ])("lets a person go: %j", async (operation) => {
    expect(await patched("User", barbara, operation)).toMatchObject({ active: false });
  });

  test.each<[string, object, readonly object[]]>([
    [
      "that has none of this kind",
      { op: "Add", path: 'emails[type eq "home"].value', value: "n@x.org" },
      [
        { type: "work", value: "b@example.com", primary: true },
        { type: "home", value: "n@x.org" },
      ],
    ],
    [
      "in any case",
      { op: "Replace", path: 'Emails[Type EQ "Work"].Value', value: "n@x.org" },
      [{ type: "work", value: "n@x.org", primary: true }],
    ],
    [
      "of the primary one",
      { op: "Replace", path: 'emails[primary eq "True"].value', value: "n@x.org" },
      [{ type: "work", value: "n@x.org", primary: true }],
    ],
    ["as a text", { op: "Replace", path: "emails", value: "n@x.org" }, [{ value: "n@x.org" }]],
    [
      "with a part and no filter",
      { op: "Replace", path: "emails.value", value: "n@x.org" },
      [{ type: "work", value: "n@x.org", primary: true }],
    ],
    [
      "that is primary from now on",
      { op: "add", path: "emails", value: [{ value: "n@x.org", primary: "True" }] },
      [
        { type: "work", value: "b@example.com", primary: false },
        { value: "n@x.org", primary: true },
      ],
    ],
    [
      "by a key",
      { op: "replace", value: { 'emails[type eq "work"].value': "n@x.org" } },
      [{ type: "work", value: "n@x.org", primary: true }],
    ],
  ])("sets an address %s", async (_, operation, emails) => {
    expect(await patched("User", barbara, operation)).toMatchObject({ emails });
  });

  test.each<[string, object, object]>([
    [
      "by dotted keys",
      { op: "replace", value: { "name.givenName": "B", "name.familyName": "J" } },
      { givenName: "B", familyName: "J" },
    ],
    ["by one part", { op: "Add", path: "Name.GivenName", value: "B" }, { givenName: "B", familyName: "O'Malley" }],
  ])("sets a name %s", async (_, operation, name) => {
    expect(await patched("User", barbara, operation)).toMatchObject({ name });
  });

  test.each<[object, readonly string[]]>([
    [{ op: "Add", path: "Members", value: { value: "usr_3", $ref: null } }, ["usr_1", "usr_2", "usr_3"]],
    [{ op: "add", path: "members", value: ["usr_1"] }, ["usr_2", "usr_1"]],
    [{ op: "add", value: { members: [{ Value: "usr_3" }], "urn:acme:Group": 1 } }, ["usr_1", "usr_2", "usr_3"]],
    [{ op: "Remove", path: 'MEMBERS[VALUE eq "usr_1"]' }, ["usr_2"]],
    [{ op: "remove", path: 'members[value eq "USR_1"]' }, ["usr_1", "usr_2"]],
    [{ op: "remove", path: "members", value: [] }, ["usr_1", "usr_2"]],
    [{ op: "replace", path: "owners[x", value: 1 }, ["usr_1", "usr_2"]],
  ])("changes members: %j", async (operation, ids) => {
    expect((await patched("Group", tour, operation)) as Resource).toMatchObject(members(...ids));
  });

  test.each<[object, string]>([
    [{ op: "remove" }, "noTarget"],
    [{ op: "explode", path: "active" }, "invalidSyntax"],
    [{ op: "replace", path: "emails[", value: 1 }, "invalidPath"],
    [{ op: "replace", path: "active.x", value: 1 }, "invalidPath"],
    [{ op: "replace", path: 'emails[value co "zz" or (a pr)].value', value: "x" }, "noTarget"],
    [{ op: "replace", path: "active", value: 7 }, "invalidValue"],
    [{ op: "remove", path: `emails[value eq "${"a".repeat(500)}"]` }, "invalidFilter"],
  ])("that is wrong is refused: %o", async (operation, scimType) => {
    expect(await patched("User", barbara, operation)).toBe(scimType);
  });

  test("with too many operations, or none, is refused", async () => {
    const one = { op: "replace", path: "active", value: false };
    expect(await patched("User", barbara, ...Array.from({ length: 201 }, () => one))).toBe("invalidValue");
    expect(await patched("User", barbara)).toBe("invalidValue");
  });
});

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";

async function read(body: unknown) {
  const said = await answer({ ask: "check", kind: "User", body });
  return "refused" in said ? said.refused.scimType : said.value;
}

describe("a whole person", () => {
  test.each<[object, object]>([
    [
      { userName: "a", active: "false", "urn:x:y": { division: "x" } },
      { userName: "a", active: false },
    ],
    [
      { USERNAME: "a", Active: 0, addresses: "x", phoneNumbers: [1], roles: [{ primary: "True" }] },
      { userName: "a", active: false },
    ],
    [{ userName: "a", password: "x", groups: [], meta: {}, id: "7", foo: 1 }, { userName: "a" }],
    [
      { userName: "a", name: null, emails: null, active: null },
      { userName: "a", emails: [] },
    ],
    [
      { userName: "a", emails: [{ value: "a@b.c", primary: "True", display: 1 }] },
      { userName: "a", emails: [{ value: "a@b.c", primary: true }] },
    ],
    [
      { userName: "a", emails: { value: "a@b.c" } },
      { userName: "a", emails: [{ value: "a@b.c" }] },
    ],
    [
      { userName: "a", externalId: 7, "name.givenName": "A" },
      { userName: "a", externalId: "7", name: { givenName: "A" } },
    ],
  ])("is read as what is kept here: %j", async (body, kept) => {
    expect(await read({ schemas: [USER, "urn:x:y"], ...body })).toEqual(kept);
    expect(await read(body)).toEqual(kept);
  });

  test.each([[[]], [null], [{ schemas: ["urn:x"] }], [{ emails: [{ primary: 7 }] }]])(
    "is refused: %j",
    async (body) => {
      expect(await read(body)).toMatch(/^invalid/);
    },
  );
});
