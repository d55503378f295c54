import { DEFAULT_RULE, PrivacyError, ruleNames } from "@dosimeter/core";
import { z } from "zod";

const name = z.string().trim().min(1).max(200);
/** Numbers as they are written in YAML; the server checks their ranges. */
const amount = z.union([z.string().min(1), z.number()]).transform(String);
const names = z.array(name).default([]);

const person = z.strictObject({
  name,
  email: z.email().optional(),
  kind: z.enum(["user", "service", "agent"]).default("user"),
  platformAdmin: z.boolean().default(false),
  auditor: z.boolean().default(false),
});

const team = z.strictObject({ name, admins: names, members: names });

const quota = z
  .strictObject({
    team: name.optional(),
    person: name.optional(),
    parent: name.optional(),
    kind: z.enum(["share", "cap"]).default("share"),
    epsilon: amount,
    delta: amount.optional(),
  })
  .refine(({ team: of, person: by }) => (of === undefined) !== (by === undefined), "names a team or a person");

const dataset = z.strictObject({
  name,
  declaration: z.union([name, z.record(z.string(), z.unknown())]),
  samePeopleAs: name.optional(),
  admins: names,
  auditors: names,
  ledger: z.strictObject({ epsilon: amount, delta: amount, rule: z.enum(ruleNames).default(DEFAULT_RULE) }).optional(),
  quotas: z.array(quota).default([]),
});

const wanted = z.strictObject({
  people: z.array(person).default([]),
  teams: z.array(team).default([]),
  datasets: z.array(dataset).default([]),
});

/** What a provisioning file asks for. */
export type Wanted = z.output<typeof wanted>;
export type WantedPerson = Wanted["people"][number];
export type WantedTeam = Wanted["teams"][number];
export type WantedDataset = Wanted["datasets"][number];
export type WantedQuota = WantedDataset["quotas"][number];

/** Checks the whole file. INVALID_PARAMETER with the path of the first fault, or of a thing that is there twice. */
export function parseWanted(json: unknown): Wanted {
  const parsed = wanted.safeParse(json ?? {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const at = issue?.path.join(".") || "the file";
    throw new PrivacyError("INVALID_PARAMETER", { name: at }, `${at}: ${issue?.message ?? "is wrong"}`);
  }
  for (const [kind, things] of Object.entries(parsed.data)) refuseTwice(kind, things);
  return parsed.data;
}

function refuseTwice(kind: string, things: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name: called } of things) {
    if (seen.has(called))
      throw new PrivacyError(
        "INVALID_PARAMETER",
        { name: kind, got: called },
        `${kind}: ${JSON.stringify(called)} is there twice`,
      );
    seen.add(called);
  }
}
