import { PrivacyError } from "@dosimeter/core";
import { isPrintable } from "@dosimeter/core/internal";
import { nameFrom, type ProvisionedGroup, type ProvisionedUser } from "@dosimeter/ledger";
import { z } from "zod";

/** What SCIM 2.0 (RFC 7643, RFC 7644) says of one person or one group, as JSON. */
export type Resource = { readonly [name: string]: unknown } & { readonly id?: string };

export type Kind = "User" | "Group";

export type Single = "text" | "boolean";

export type Attribute =
  | { readonly is: Single }
  | { readonly is: "parts" | "list"; readonly parts: Readonly<Record<string, Single>> };

export type Attributes = Readonly<Record<string, Attribute>>;

/** All that is taken from a provider. It may send anything else, in any shape: that is never read, and fails nothing. */
export const keptAttributes: Readonly<Record<Kind, Attributes>> = {
  User: {
    userName: { is: "text" },
    externalId: { is: "text" },
    displayName: { is: "text" },
    name: { is: "parts", parts: { formatted: "text", givenName: "text", familyName: "text" } },
    emails: { is: "list", parts: { value: "text", type: "text", primary: "boolean" } },
    active: { is: "boolean" },
  },
  Group: {
    displayName: { is: "text" },
    externalId: { is: "text" },
    members: { is: "list", parts: { value: "text" } },
  },
};

/** Whether a person may come in, and nothing else of them. */
export const onlyActive: Attributes = { active: { is: "boolean" } };

/** The most members of a group: a change of it is computed on all of them. */
const MAX_MEMBERS = 2_000;

const printable = z.string().refine(isPrintable, "must be printable characters");
const text = printable.trim().min(1).max(256);

/** What is kept of a person; the rest of what a provider says is dropped. */
const user = z.object({
  userName: text,
  externalId: text.optional(),
  displayName: z.string().optional(),
  name: z.object({ formatted: z.string(), givenName: z.string(), familyName: z.string() }).partial().optional(),
  emails: z
    .array(z.object({ value: printable, type: z.string().optional(), primary: z.boolean().optional() }))
    .max(100)
    .optional(),
  active: z.boolean().optional(),
});

const group = z.object({
  displayName: text,
  externalId: text.optional(),
  members: z
    .array(z.object({ value: z.string().max(100) }))
    .max(MAX_MEMBERS, `at most ${MAX_MEMBERS} members`)
    .optional(),
});

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const name = issue?.path.join(".") || "the body";
  throw new PrivacyError("INVALID_PARAMETER", { name, scimType: "invalidValue" }, `${name}: ${issue?.message}`);
}

/** The parts of a person that are kept here. */
export function userOf(value: unknown) {
  const { userName, externalId = null, displayName, name, emails = [], active = null } = read(user, value);
  const parts = [name?.givenName, name?.familyName].filter((part) => part !== undefined).join(" ");
  const said = [displayName, name?.formatted, parts, userName].map((one) => nameFrom(one ?? ""));
  const email =
    emails.find(({ primary }) => primary === true) ?? emails.find(({ type }) => type === "work") ?? emails[0];
  return {
    userName,
    externalId,
    name: said.find((one) => one !== null) ?? "someone",
    email: email?.value ?? (/^[^\s@]+@[^\s@]+$/.test(userName) ? userName : null),
    /** Null where the provider does not say. */
    isActive: active,
  };
}

/** The parts of a group that are kept here. */
export function groupOf(value: unknown) {
  const { displayName: name, externalId = null, members = [] } = read(group, value);
  return { name, externalId, members: members.map((member) => member.value) };
}

export const userResource = ({ person, userName, externalId, changedAt }: ProvisionedUser): Resource => ({
  id: person.id,
  ...(externalId === null ? {} : { externalId }),
  userName,
  displayName: person.name,
  ...(person.email === null ? {} : { emails: [{ value: person.email, type: "work", primary: true }] }),
  active: person.removedAt === null,
  meta: { resourceType: "User", created: person.createdAt, lastModified: changedAt },
});

/** The address that a resource shows. */
export const emailOf = ({ emails }: Resource): string | null =>
  (emails as readonly { readonly value: string }[] | undefined)?.[0]?.value ?? null;

export const groupResource = ({ id, name, externalId, members, createdAt, changedAt }: ProvisionedGroup): Resource => ({
  id,
  ...(externalId === null ? {} : { externalId }),
  displayName: name,
  members: members.map((member) => ({ value: member.id, display: member.name, type: "User" })),
  meta: { resourceType: "Group", created: createdAt, lastModified: changedAt },
});
