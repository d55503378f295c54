import { Button } from "@mantine/core";

/** Loads the next page of a list. */
export function More({
  of,
}: {
  of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}) {
  if (!of.hasNextPage) return null;
  return (
    <Button variant="default" size="sm" mt="md" loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      Show more
    </Button>
  );
}
