import { PrivacyError } from "@dosimeter/core";
import type { Fields } from "@dosimeter/core/internal";
import type { Dataset, DatasetId } from "@dosimeter/ledger";
import { closeThrough } from "@dosimeter/query";
import { tableOf } from "../sources/tables.ts";
import { newVersion } from "./version.ts";

/** Closes a block and all before it by hand. Where it is the last closed one already, also by another admin just now, the version stays as it is. */
export async function closeBlocks(
  { dataset, block }: { readonly dataset: DatasetId | string; readonly block: string },
  making: Parameters<typeof newVersion>[2],
): Promise<Dataset> {
  const { database, files } = making.deps;
  const newest = async () => {
    const found = await database.catalog.dataset(dataset);
    const { declaration } = tableOf(found, files);
    return { found, isClosed: declaration.blocks?.closed === block, ...closeThrough(declaration, block) };
  };
  const { found: before, isClosed, blocks } = await newest();
  if (isClosed) return before;
  const declaration = { ...(before.declaration as Fields), blocks };
  try {
    return await newVersion(before, { declaration, isNext: true }, making);
  } catch (error) {
    const meanwhile = error instanceof PrivacyError && error.code === "CONFLICT" ? await newest() : null;
    if (meanwhile?.isClosed) return meanwhile.found;
    throw error;
  }
}
