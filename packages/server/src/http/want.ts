import type { z } from "zod";

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const formats: Readonly<Record<string, string>> = {
  email: "an address such as ada@example.org",
  url: "an address such as https://example.org",
  datetime: "a time in UTC such as 2026-11-21T12:00:00Z",
};

/** What a value must be, in the words of a refusal: "*name* is *got*, must be *this*". */
export function wantOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return kinds[issue.expected] ?? issue.message;
    case "too_small":
      return `${issue.inclusive === false ? "more than" : "at least"} ${counted(issue.minimum, issue.origin)}`;
    case "too_big":
      return `${issue.inclusive === false ? "less than" : "at most"} ${counted(issue.maximum, issue.origin)}`;
    case "invalid_value":
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return formats[issue.format] ?? issue.message;
    case "unrecognized_keys":
      return "without fields that are not known"; // zod's own message repeats all of them
    case "invalid_union":
      return unionOf(issue.errors) ?? issue.message;
    default:
      return issue.message;
  }
}

function counted(limit: number | bigint, origin: string): string {
  const unit = { string: "character", array: "entry", set: "entry" }[origin];
  if (unit === undefined) return String(limit);
  return `${limit} ${limit === 1 ? unit : unit.replace(/y$/, "ie")}${limit === 1 ? "" : "s"}`;
}

/** Of a union: what each member misses at this place, unless the fault is deeper inside. */
function unionOf(errors: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const wants = errors.map(([first]) => (first === undefined || first.path.length > 0 ? undefined : wantOf(first)));
  if (wants.length === 0 || wants.includes(undefined)) return undefined;
  return [...new Set(wants)].join(" or ");
}
