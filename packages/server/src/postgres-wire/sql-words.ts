/** A name and a text as PostgreSQL reads them, whatever they hold. */
export const quotedName = (name: string): string => `"${name.replaceAll("\0", "\uFFFD").replaceAll('"', '""')}"`;
export const quotedText = (text: string): string => `'${text.replaceAll("\0", "\uFFFD").replaceAll("'", "''")}'`;
