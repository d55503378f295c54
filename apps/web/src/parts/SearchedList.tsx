import { present } from "@dosimeter/core/internal";
import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { Filter } from "./Filter.tsx";
import { More } from "./More.tsx";
import { Pending, type Query } from "./Pending.tsx";

/** The pause in typing after which the server is asked. */
const REST_MS = 200;

/** Search results, page by page. */
type Paged<Item> = Query<{ readonly pages: readonly { readonly items: readonly Item[] }[] }> &
  Parameters<typeof More>[0]["of"] & { readonly isPlaceholderData: boolean };

/** A list that the server searches, with a filter once there are more than a `few` items. Old results stay visible while the person types. */
export function SearchedList<Item>({
  useItems,
  label,
  few,
  lines,
  empty,
  notFound,
  children,
}: {
  useItems: (text: string) => Paged<Item>;
  label: string;
  few: number;
  lines?: number;
  /** Shown when there are no items at all. */
  empty: ReactNode;
  /** Shown when no item matches. */
  notFound: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}) {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), REST_MS);
  const found = useItems(text);
  return (
    <Pending of={found} {...present({ lines })}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        const isSearched = typed !== "" || text !== "" || found.isPlaceholderData;
        if (items.length === 0 && !isSearched) return empty;
        return (
          <>
            {items.length > few || isSearched ? <Filter label={label} value={typed} onChange={setTyped} /> : null}
            {items.length === 0 ? notFound : children(items)}
            <More of={found} />
          </>
        );
      }}
    </Pending>
  );
}
