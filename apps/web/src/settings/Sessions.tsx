import { useChange } from "../api/change.ts";
import { useSessions } from "../api/tokens.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Tag } from "../parts/Page.tsx";
import { Fault, Pending } from "../parts/Pending.tsx";
import { RowButton } from "../parts/RowButton.tsx";
import { momentText } from "../parts/time.ts";

export function Sessions() {
  const sessions = useSessions();
  const end = useChange((client, session: string) => client.revokeSession({ session }));
  return (
    <Pending of={sessions} lines={2}>
      {(all) => (
        <>
          <DataTable
            caption="Sessions"
            isCaptionHidden
            isStacking
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "How",
                isHead: true,
                cell: ({ name, current }) => (
                  <>
                    {name === "" ? "signed in" : name} {current ? <Tag tone="good">this one</Tag> : null}
                  </>
                ),
              },
              { name: "Since", cell: ({ createdAt }) => momentText(createdAt) },
              { name: "Until", cell: ({ expiresAt }) => momentText(expiresAt) },
              {
                name: "Change",
                cell: ({ id, current, createdAt }) =>
                  current ? null : (
                    <RowButton
                      label="Sign out"
                      name={`Sign out the browser of ${momentText(createdAt)}`}
                      isBusy={end.isPending}
                      onClick={() => end.mutate(id)}
                    />
                  ),
              },
            ]}
          />
          <Fault error={end.error} />
        </>
      )}
    </Pending>
  );
}
