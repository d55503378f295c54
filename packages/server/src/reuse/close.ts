import type { Fields } from "@dosimeter/core/internal";
import type { Dataset } from "@dosimeter/ledger";
import { closeThrough } from "@dosimeter/query/bind";
import { tableOf } from "../sources/tables.ts";
import { type Maker, newVersion } from "./version.ts";

/** Closes a block and all before it by hand, in a new version. None is made where it is the newest closed block already, as someone may just have closed it. */
export async function closeBlocks(
  { dataset, block }: { readonly dataset: string; readonly block: string },
  maker: Maker,
): Promise<Dataset> {
  const { database, files } = maker.deps;
  const newest = async () => {
    const found = await database.catalog.dataset(dataset);
    const { declaration } = tableOf(found, files);
    return { found, isClosed: declaration.blocks?.closed === block, ...closeThrough(declaration, block) };
  };
  const { found: before, isClosed, blocks } = await newest();
  if (isClosed) return before;
  const declaration = { ...(before.declaration as Fields), blocks };
  try {
    return await newVersion(before, { declaration, isNext: true }, maker);
  } catch (error) {
    const meanwhile = await newest();
    if (meanwhile.isClosed) return meanwhile.found;
    throw error;
  }
}
