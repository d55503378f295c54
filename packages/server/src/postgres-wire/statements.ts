export interface Statement {
  /** As it stands in the client's text. */
  readonly text: string;
  /** Where it begins there. */
  readonly at: number;
  /** Without comments and space around it: what shows its kind. */
  readonly bare: string;
  /** `$1`, `$2`, …, where they stand in `text`. */
  readonly parameters: readonly { readonly number: number; readonly at: number; readonly length: number }[];
}

/** Texts, names and comments end where the source does if nothing else ends them: every character is looked at once. */
const PARTS =
  /(?<quoted>'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$))|(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|\$(?<number>\d{1,5})|(?<end>;)|[^'"`;$/-]+|[\s\S]/g;

/** The statements of a text, apart by `;`, without empty ones. */
export function statementsIn(source: string): readonly Statement[] {
  const found: Statement[] = [];
  let [from, bare] = [0, ""];
  let parameters: Statement["parameters"][number][] = [];
  const close = (to: number): void => {
    const trimmed = bare.trim();
    if (trimmed !== "") found.push({ text: source.slice(from, to), at: from, bare: trimmed, parameters });
    [from, bare, parameters] = [to + 1, "", []];
  };
  for (const { 0: part, index, groups = {} } of source.matchAll(PARTS)) {
    if (groups.end !== undefined) {
      close(index);
      continue;
    }
    if (groups.number !== undefined)
      parameters.push({ number: Number(groups.number), at: index - from, length: part.length });
    bare += groups.comment === undefined ? part : " ";
  }
  close(source.length);
  return found;
}
