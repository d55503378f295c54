import { present } from "@dosimeter/core/internal";
import { useDebouncedValue } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { More } from "./buttons.tsx";
import { TextField } from "./fields.tsx";
import { Pending, type Query } from "./Pending.tsx";

interface FilterProps {
  label: string;
  /** In a row with other fields, not above the list. */
  isInRow?: boolean;
  value: string;
  onChange: (text: string) => void;
}

/** Narrows a list to the rows that hold a text. */
export function Filter({ label, isInRow = false, value, onChange }: FilterProps) {
  return (
    <TextField
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={value}
      onChange={onChange}
      style={{ maxWidth: 360, marginBottom: isInRow ? 0 : 12 }}
    />
  );
}

/** Whether any of the texts contains the filter. */
export const holdsText = (typed: string, ...texts: readonly (string | null | undefined)[]): boolean =>
  texts.some((text) => text?.toLowerCase().includes(typed.trim().toLowerCase()));

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
