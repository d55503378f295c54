/** Whether a value may be missing, and what stands for it. */
export const missingWords = ({
  required,
  missing,
}: {
  readonly required?: unknown;
  readonly missing?: unknown;
}): string => {
  if (required === true) return "never";
  return Array.isArray(missing) && missing.length > 0 ? `possible, also ${missing.join(", ")}` : "possible";
};
