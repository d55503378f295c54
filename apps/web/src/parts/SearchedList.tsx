import { useDebouncedValue } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { Filter } from "./Filter.tsx";
import { More } from "./More.tsx";
import { Pending, type Query } from "./Pending.tsx";

/** Typing rests this long before the server is asked. */
const REST_MS = 200;

/** A page at a time of what the server finds for a text. */
type Paged<Item> = Query<{ readonly pages: readonly { readonly items: readonly Item[] }[] }> &
  Parameters<typeof More>[0]["of"] & { readonly isPlaceholderData: boolean };

/** A list that the server searches: a filter once there are more than a `few`, and what was found before while one types. */
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
  /** There is nothing at all. */
  empty: ReactNode;
  /** Nothing has that in its name. */
  notFound: ReactNode;
  children: (items: readonly Item[]) => ReactNode;
}) {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), REST_MS);
  const found = useItems(text);
  return (
    <Pending of={found} {...(lines === undefined ? {} : { lines })}>
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
