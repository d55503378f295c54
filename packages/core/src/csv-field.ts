/** A text as a field of CSV (RFC 4180). One that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csvField(text: string): string {
  const isFormula = /^[=+@\t\r]/.test(text) || (/^-/.test(text) && Number.isNaN(Number(text)));
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
