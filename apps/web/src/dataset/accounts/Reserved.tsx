import { Link } from "@tanstack/react-router";
import { useRequests } from "../../api/requests.ts";
import { Amount } from "../../parts/Amount.tsx";
import { sumOf } from "../../sums.ts";

/** Nothing of a budget is reserved; requests that wait take nothing either. */
export function Reserved({ ledger }: { ledger: string }) {
  const received = useRequests("received");
  const waiting = (received.data ?? []).filter(
    (one) => one.ledger === ledger && one.mine.mayDecide && one.status === "submitted",
  );
  return (
    <p className="small soft flush">
      Nothing is reserved: a charge is final before the data is read, and a request takes nothing until it is decided.{" "}
      {waiting.length === 0 ? null : (
        <Link to="/requests">
          {waiting.length === 1 ? "One request" : `${waiting.length} requests`} for ε{" "}
          <Amount of={sumOf(waiting.map(({ asked }) => asked.epsilon))} /> {waiting.length === 1 ? "waits" : "wait"} for
          you.
        </Link>
      )}
    </p>
  );
}
