import { PrivacyError } from "@dosimeter/core";
import type { GroupKey, Part, UserKey } from "@dosimeter/ledger";

/** The most of a list in one answer. */
export const MAX_RESULTS = 100;

/** Which part of a list is asked for. INVALID_PARAMETER. */
export function partOf({
  startIndex,
  count,
}: {
  readonly startIndex?: string | undefined;
  readonly count?: string | undefined;
}): Part {
  const from = Math.max(1, wholeNumber(startIndex, 1)) - 1;
  return { from, count: Math.min(MAX_RESULTS, Math.max(0, wholeNumber(count, MAX_RESULTS))) };
}

function wholeNumber(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new PrivacyError(
    "INVALID_PARAMETER",
    { scimType: "invalidValue" },
    "startIndex and count must be whole numbers",
  );
}

const EQUALS =
  /^\s*(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?([\w.[\] "]{1,40}?)\s+eq\s+("(?:[^"\\]|\\.){0,400}")\s*$/i;

/** The attribute of a filter that asks for one value of one attribute, and the value; null for every other filter. */
function equals(filter: string): { readonly attribute: string; readonly value: string } | null {
  const [, attribute = "", quoted = ""] = EQUALS.exec(filter) ?? [];
  try {
    return { attribute: attribute.toLowerCase(), value: JSON.parse(quoted) as string };
  } catch {
    return null;
  }
}

/** Whom the usual filters of providers mean: found by an index, however many people there are. */
export function userKeyIn(filter: string): UserKey | null {
  const asked = equals(filter);
  switch (asked?.attribute) {
    case "username":
      return { userName: asked.value };
    case "externalid":
      return { externalId: asked.value };
    case "id":
      return { ids: [asked.value] };
    case "emails":
    case "emails.value":
    case 'emails[type eq "work"].value':
      return { email: asked.value };
    default:
      return null;
  }
}

export function groupKeyIn(filter: string): GroupKey | null {
  const asked = equals(filter);
  switch (asked?.attribute) {
    case "displayname":
      return { displayName: asked.value };
    case "members":
    case "members.value":
      return { member: asked.value };
    case "externalid":
      return { externalId: asked.value };
    case "id":
      return { ids: [asked.value] };
    default:
      return null;
  }
}
