import type { Dataset } from "@dosimeter/client";

/** What the guarantee protects, by the neighbour relation. */
export function protectionText(adjacency: Dataset["adjacency"], unit: string): string {
  if (adjacency === "addRemove") return `protects the presence of any one ${unit}`;
  const data = `protects the data of any one ${unit}`;
  return adjacency === "replace" ? data : `${data}, compared with leaving it blank`;
}
