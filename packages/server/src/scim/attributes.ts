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
