import { Button } from "@mantine/core";
import { useChange } from "../../api/change.ts";
import { Amount, formatRoom } from "../../parts/Amount.tsx";
import { Fault } from "../../parts/Pending.tsx";
import { after, type Shift, transferOf } from "./boundary.ts";

/** A moved boundary: both accounts before and after, and the one button that makes it so. */
export function Reallocate({ shift, onDone }: { shift: Shift; onDone: () => void }) {
  const transfer = transferOf(shift);
  const move = useChange((client, { from, to, epsilon }: NonNullable<typeof transfer>) =>
    client.transferQuota({ account: from.id, to: to.id, epsilon }),
  );
  const sides = after(shift);
  const rows = [
    { account: shift.left, epsilon: sides.left },
    { account: shift.right, epsilon: sides.right },
  ];
  return (
    <section className="reallocate" aria-label="Moved boundary">
      <ul aria-live="polite">
        {rows.map(({ account, epsilon }) => (
          <li key={account.id}>
            {account.name}: <Amount unit="ε" isRoom of={account.quota.epsilon} /> →{" "}
            <strong>
              <Amount unit="ε" isRoom of={epsilon} />
            </strong>
          </li>
        ))}
      </ul>
      <div className="page-actions">
        <Button
          size="xs"
          disabled={transfer === null}
          loading={move.isPending}
          onClick={() => (transfer === null ? undefined : move.mutate(transfer, { onSuccess: onDone }))}
        >
          {transfer === null
            ? "Nothing moves"
            : `Move ε ${formatRoom(transfer.epsilon)} from ${transfer.from.name} to ${transfer.to.name}`}
        </Button>
        <Button size="xs" variant="default" onClick={onDone}>
          Put it back
        </Button>
      </div>
      <Fault error={move.error} />
    </section>
  );
}
