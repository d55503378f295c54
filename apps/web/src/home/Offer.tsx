import type { Request } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api/change.ts";
import { formatRoom } from "../parts/Amount.tsx";
import { Fault } from "../parts/Pending.tsx";

/** An offer made to me, with the amount that accepting it gives; it is accepted where it stands. */
export function Offer({ request, isInRow = false }: { request: Request; isInRow?: boolean }) {
  const { id, version, offered, asked, dataset } = request;
  const accept = useChange((client) => client.acceptOffer({ request: id, version }));
  const amount = formatRoom((offered ?? asked).epsilon);
  return (
    <div className="offer">
      <span>
        <Link to="/requests" search={{ box: "submitted" }}>
          Offer of ε {amount}
        </Link>
        {isInRow ? "" : ` for ${request.holder.name} on ${dataset.name}`}
      </span>
      <Button
        size="xs"
        loading={accept.isPending}
        aria-label={`Accept ε ${amount} on ${dataset.name}`}
        onClick={() => accept.mutate(undefined)}
      >
        Accept
      </Button>
      <Fault error={accept.error} />
    </div>
  );
}
