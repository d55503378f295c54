import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type File, type Output } from "@dosimeter/client";
import { countText, isRecord } from "@dosimeter/core/internal";
import { fitSentences } from "@dosimeter/query/plan";
import { NOWHERE } from "../connect.ts";
import { say } from "../terminal/output.ts";
import { onSignals, paint, printable, type Terminal } from "../terminal/terminal.ts";
import type { Given } from "./row.ts";

/** Declared categories in fewer rows are named. */
const FEWER = 10;

/** How a file of this machine is checked: the declaration may take what the file says of itself. */
interface Checked {
  readonly send: (client: Client) => Promise<File>;
  readonly declaredOver: (file: File) => Given;
  /** These rows come to others: the declared number is of all. */
  readonly isPart?: boolean;
}

/**
 * Shows on this terminal how the rows of a file of this machine fit: an instance that is removed afterwards reads them here, and the server that
 * they may go to hears nothing [M413]. Whether someone should look before it is declared.
 */
export async function showFit(terminal: Terminal, checked: Checked): Promise<boolean> {
  const { fit, declaration } = await fitHere(checked);
  const { privacyUnit, contribution, size, unitNoun } = declaration;
  const { one = "person", many = "people" } = (unitNoun ?? {}) as { readonly one?: string; readonly many?: string };
  const columns = Object.entries(declaration.columns as Readonly<Record<string, Given>>).map(
    ([name, { type, required }]) => [name, { type: String(type), isRequired: required === true }] as const,
  );
  const sentences = fitSentences(
    fit,
    {
      columns: Object.fromEntries(columns),
      unit: { one, many, column: textIn(privacyUnit, "column"), rows: textIn(contribution, "rows") },
      size: checked.isPart === true ? Number.NaN : Number(textIn(size, "assumed") || textIn(size, "public")),
    },
    FEWER,
  );
  say(terminal, paint(terminal, "bold", `How ${countText(fit.rows, "row")} fit: shown here alone, and kept nowhere`));
  for (const { column, text, values, more } of sentences) {
    say(terminal, `· ${column === "" ? "" : `${printable(column)}: `}${printable(text)}`);
    for (const { value, rows } of values) say(terminal, `    ${printable(value)}  ${rows}`);
    if (more > 0) say(terminal, `    and ${more} more`);
  }
  const isMisfit = sentences.some(({ kind }) => kind !== "unheld");
  if (!isMisfit) say(terminal, "Every row fits.");
  return isMisfit;
}

const textIn = (part: unknown, name: string): string => (isRecord(part) ? String(part[name] ?? "") : "");

async function fitHere({ send, declaredOver }: Checked) {
  const { openInstance, signedIn } = await import("@dosimeter/server");
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-check-")); // for its owner alone
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const ended = onSignals(() => {
    remove();
    process.exit(130);
  });
  try {
    const { fetch, operatorToken, close } = await openInstance({ folder });
    try {
      const operator = createClient({ url: NOWHERE, fetch, token: operatorToken });
      const { id: person } = await operator.createPerson({ name: "who checks" });
      const { url } = await operator.createSignInLink({ person });
      const client = await signedIn({ url: NOWHERE, fetch }, url);
      const file = await send(client);
      const declaration = declaredOver(file);
      const asked = { file: file.id, declaration, fewerThan: FEWER } as Parameters<typeof client.checkUpload>[0];
      const fit: Output<"checkUpload"> = await client.checkUpload(asked);
      return { fit, declaration };
    } finally {
      await close();
    }
  } finally {
    remove();
    ended();
  }
}
