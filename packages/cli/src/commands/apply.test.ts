import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { said } from "../terminal.kit.ts";

const cwd = temporaryFolder();

const dosimeter = (...args: readonly string[]) => said(args, { cwd });

writeFileSync(
  join(cwd, "staff.csv"),
  `# made up\nperson,age\n${Array.from({ length: 50 }, (_, i) => `${i},${20 + i}`).join("\n")}\n`,
);
const file = (more: { readonly quota?: string; readonly epsilon?: string; readonly extra?: string } = {}) => {
  writeFileSync(
    join(cwd, "org.yaml"),
    `people:
  - { name: Dana, email: dana@example.org, platformAdmin: true }
  - { name: Lea, email: lea@example.org }
  - { name: Grace, email: grace@example.org }
  - { name: batch, kind: service }
teams:
  - { name: Research, admins: [Lea], members: [Grace] }
datasets:
  - name: staff
    declaration:
      source: { csv: staff.csv, comment: "#" }
      privacyUnit: { column: person }
      contribution: { rows: 1 }
      columns: { person: { type: integer }, age: { type: integer, lower: 0, upper: 120 } }
    admins: [Dana]
    ledger: { epsilon: ${more.epsilon ?? "2"}, delta: 1e-6 }
    quotas:
      - { team: Research, epsilon: ${more.quota ?? "1"} }
      - { person: Grace, parent: Research, epsilon: 0.5 }
${more.extra ?? ""}`,
  );
  return ["apply", "-f", "org.yaml"] as const;
};

test("a file is applied once: the second time nothing is missing, a change is one step, and a promise is never changed", async () => {
  const dry = await dosimeter(...file(), "--dry-run");
  expect(dry).toMatchObject({ code: 0, err: "" });
  expect(dry.out.trim().split("\n")).toEqual([
    "would add person Dana",
    "would make Dana an admin of the platform",
    "would add person Lea",
    "would add person Grace",
    "would add service batch",
    "would make the team Research",
    "would add Grace to Research",
    "would add Lea to Research as an admin",
    "would declare the dataset staff",
    "would make Dana an admin of staff",
    "would open the ledger of staff with ε 2, δ 0.000001",
    "would open the budget Research on staff with ε 1",
    "would open the budget Research/Grace on staff with ε 0.5",
  ]);
  expect(JSON.parse((await dosimeter("dataset", "list", "--json")).out)).toEqual([]);

  const done = await dosimeter(...file());
  expect(done).toMatchObject({ code: 0, err: "", out: dry.out.replaceAll("would ", "") });
  const accounts = async () => JSON.parse((await dosimeter("account", "list", "staff", "--json")).out);
  expect(await accounts()).toMatchObject([
    { quota: { epsilon: "1" } },
    { path: ["Research", "Grace"], quota: { epsilon: "0.5" } },
  ]);

  const again = await dosimeter(...file());
  expect(again).toEqual({ code: 0, err: "", out: "Everything in the file is there already; nothing was changed.\n" });

  const raised = await dosimeter(...file({ quota: "1.5" }));
  expect(raised.out).toBe("raise the budget of Research on staff from ε 1 to ε 1.5\n");
  const lowered = await dosimeter(...file({ quota: "0.75" }));
  expect(lowered.out).toBe("lower the budget of Research on staff from ε 1.5 to ε 0.75\n");
  const below = await dosimeter(...file({ quota: "0.4" }));
  expect(below).toMatchObject({ code: 3, err: expect.stringContaining("QUOTA_UNAVAILABLE") });
  expect(await accounts()).toMatchObject([{ quota: { epsilon: "0.75" } }, { quota: { epsilon: "0.5" } }]);

  const promise = await dosimeter(...file({ quota: "1", epsilon: "3" }));
  expect(promise.err).toContain(
    "the ledger of staff promises ε 2, δ 0.000001 under additionThenTight: a file changes no promise",
  );
  expect(await accounts(), "nothing was done").toMatchObject([{ quota: { epsilon: "0.75" } }, {}]);
});

test("a person or a team that took a name of the file before is not the one that it means", async () => {
  const data = ["--data", "taken"];
  expect((await dosimeter("person", "create", "Dana", ...data)).code).toBe(0);
  expect((await dosimeter("person", "create", "Zoe", ...data)).code).toBe(0);
  const token =
    (await dosimeter("token", "create", "t", "--person", "Zoe", "--scope", "manage", ...data)).out
      .trim()
      .split(/\s+/)
      .at(-1) ?? "";
  expect((await dosimeter("team", "create", "Research", "--token", token, ...data)).code).toBe(0);
  const refused = await dosimeter(...file(), ...data);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain("Dana: someone of this name is here without an address");
  expect(refused.err).toContain("Research: Zoe leads a team of this name");
  expect(JSON.parse((await dosimeter("dataset", "list", "--json", ...data)).out)).toEqual([]);
});

test.each([
  ["  - { name: other, decl: x }", "INVALID_PARAMETER"],
  ["  - { name: staff, declaration: {} }", '"staff\\" is there twice'],
  [
    "  - { name: other, declaration: x.yaml, quotas: [{ team: Research, person: Grace, epsilon: 1 }] }",
    "names a team or a person",
  ],
  [
    "  - { name: other, declaration: { source: { csv: staff.csv }, columns: { age: { type: number of years } } } }",
    'other: columns.age.type is \\"number of years\\"',
  ],
  ["  - { name: other, declaration: x.yaml, admins: [Zoe] }", 'the file lists no person called \\"Zoe\\"'],
  [
    "  - { name: other, declaration: x.yaml, quotas: [{ team: Research, epsilon: 1 }] }",
    "other: budgets need a ledger",
  ],
])("%s is refused before anything is done", async (extra, message) => {
  const refused = await dosimeter(...file({ extra }), "--json", "--data", "fresh");
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain(message);
  expect(JSON.parse((await dosimeter("person", "list", "--json", "--data", "fresh")).out)).toHaveLength(1);
});
