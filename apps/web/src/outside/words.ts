/** What the proof of a program is for, as it is chosen. */
export const relations = {
  "add-or-remove-one": "one record added or removed",
  "replace-one": "one record replaced by another",
} as const;

export const toolText = (tool: { readonly name: string; readonly version: string } | null | undefined): string =>
  tool == null ? "not said" : `${tool.name} ${tool.version}`;
