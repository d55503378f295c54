/** The SQL without what only differential privacy adds: options, and settings of calls by name. PostgreSQL parses the rest. */
export function standard(sql: string): string {
  const parts = sql.split(/('(?:[^']|'')*'|"(?:[^"]|"")*")/);
  const texts: string[] = [];
  const masked = parts.map((part, index) => (index % 2 === 0 ? part : `«${texts.push(part) - 1}»`)).join("");
  const value = String.raw`(?:ARRAY\[[^\]]*\]|\([^()]*\)|-?[\w.+-]+|«\d+»)`;
  return masked
    .replaceAll(/WITH\s+DIFFERENTIAL_PRIVACY(?:\s+OPTIONS\s*\([^()]*\))?/gi, "")
    .replaceAll(new RegExp(String.raw`,?\s*\w+\s*=>\s*${value}`, "g"), "")
    .replaceAll(/«(\d+)»/g, (_, index: string) => texts[Number(index)] ?? "");
}
