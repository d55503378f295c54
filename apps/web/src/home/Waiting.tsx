import type { Request } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type ReactNode, Suspense, useState } from "react";
import { useMyAccounts, useRequests } from "../api/ledgers.ts";
import { lazy } from "../api/part.ts";
import { formatCost } from "../parts/Amount.tsx";
import { Card } from "../parts/Page.tsx";
import { dayText } from "../parts/words.ts";
import { Offer } from "./Spendable.tsx";

/** The dialog's forms are loaded when it opens: most people decide nothing. */
const Decide = lazy(async () => ({ default: (await import("../requests/Decide.tsx")).Decide }));

/** Requests that I decide here, offers that I accept here, and questions that I was asked. */
export function Waiting() {
  const received = useRequests("received");
  const submitted = useRequests("submitted");
  const mine = useMyAccounts();
  const [deciding, setDeciding] = useState<Request | null>(null);
  if (received.data === undefined || submitted.data === undefined) return null;
  const toDecide = received.data.filter(({ mine }) => mine.mayDecide);
  const rows = new Set(mine.data?.pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const offered = submitted.data.filter(({ status }) => status === "counterOffered");
  // An offer to one of my accounts stands in its row.
  const offers = offered.filter(({ account }) => !rows.has(account ?? ""));
  const questions = submitted.data.filter(({ status }) => status === "infoRequested");
  const own = submitted.data.filter(({ status }) => status === "submitted" || status === "escalated").length;
  return (
    <Card title="Waiting for you" aside={<Link to="/requests">All requests</Link>}>
      {toDecide.length + offers.length + questions.length === 0 ? (
        <p className="soft flush">
          {offered.length === 0
            ? "Nothing is waiting for you."
            : `${offered.length === 1 ? "An offer waits" : `${offered.length} offers wait`} for you in “What you can spend”.`}{" "}
          {own === 0
            ? ""
            : own === 1
              ? "One of your own requests is waiting for an answer."
              : `${own} of your own requests are waiting for an answer.`}
        </p>
      ) : (
        <ul className="link-list">
          {toDecide.map((request) => (
            <Line key={request.id} request={request}>
              <Link to="/requests">{request.requester.name} asks for budget</Link>
              <Amounts request={request} />
              <Button
                size="xs"
                mt={6}
                variant="default"
                aria-label={`Decide on ε ${formatCost(request.asked.epsilon)} for ${request.holder.name}`}
                onClick={() => setDeciding(request)}
              >
                Decide
              </Button>
            </Line>
          ))}
          {offers.map((request) => (
            <Line key={request.id} request={request}>
              <Offer request={request} />
            </Line>
          ))}
          {questions.map((request) => (
            <Line key={request.id} request={request}>
              <Link to="/requests" search={{ box: "submitted" }}>
                You were asked a question
              </Link>
              <Amounts request={request} />
            </Line>
          ))}
        </ul>
      )}
      {deciding === null ? null : (
        <Suspense>
          <Decide request={deciding} onClose={() => setDeciding(null)} />
        </Suspense>
      )}
    </Card>
  );
}

function Line({ request, children }: { request: Request; children: ReactNode }) {
  return (
    <li>
      <div>{children}</div>
      <time className="soft small nowrap" dateTime={request.changedAt}>
        {dayText(request.changedAt)}
      </time>
    </li>
  );
}

const Amounts = ({ request: { asked, dataset, holder } }: { request: Request }) => (
  <p className="soft small">
    ε {formatCost(asked.epsilon)} on {dataset.name}, for {holder.name}
  </p>
);
