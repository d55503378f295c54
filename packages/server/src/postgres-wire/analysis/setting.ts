import { settingAs } from "../settings.ts";
import type { Edit } from "../tokens.ts";
import type { Reading, Refuse } from "./reading.ts";
import { child, type Node, nodes, numberAt, string } from "./tree.ts";
import { MODES } from "./walk.ts";

/** Of SET, RESET and SHOW. */
export interface Setting {
  readonly name: string;
  readonly value: string | null;
  readonly isLocal: boolean;
}

export function settingOf(
  kind: string,
  body: Node,
  { tokens, charOf }: Reading,
  refuse: Refuse,
): { readonly setting: Setting | null; readonly edits: readonly Edit[] } {
  const edits = tokens.flatMap(({ upper }, place): readonly Edit[] => {
    const isMode = (kind === "TransactionStmt" || kind === "VariableSetStmt") && upper === "READ";
    const next = tokens[place + 1];
    if (!isMode || next?.upper !== "WRITE") return [];
    return [{ from: charOf(next.start), to: charOf(next.end), text: "ONLY" }];
  });
  if (kind !== "VariableSetStmt" && kind !== "VariableShowStmt") return { setting: null, edits };
  const name = string(body.name).toLowerCase();
  const how = string(body.kind);
  const as = settingAs(name);
  if (kind === "VariableSetStmt" && how !== "VAR_RESET_ALL" && as !== "may") {
    const at = tokens[0]?.start ?? 0;
    if (as === "is kept") refuse(at, "42501", "this setting stays as it is");
    else refuse(at, "42704", `there is no setting ${JSON.stringify(name.slice(0, 80))} that can be set here`);
  }
  const value = child(nodes(body.args)[0], "A_Const");
  const text =
    string(child(value, "sval")?.sval) ||
    string(child(value, "fval")?.fval) ||
    (child(value, "ival") === undefined ? null : String(numberAt(child(value, "ival")?.ival)));
  if (kind === "VariableSetStmt" && MODES.test(name)) {
    const at = tokens.at(-1);
    if (at !== undefined && how === "VAR_SET_VALUE")
      edits.push({ from: charOf(at.start), to: charOf(at.end), text: "on" });
  }
  const isSet = kind === "VariableSetStmt" && how === "VAR_SET_VALUE";
  return {
    setting: {
      name: kind === "VariableShowStmt" ? `show ${name}` : how === "VAR_RESET_ALL" ? "all" : name,
      value: isSet ? text : null,
      isLocal: body.is_local === true,
    },
    edits,
  };
}
