import type { Request } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { useChange } from "../api/connection.ts";
import { lazy } from "../api/part.ts";
import { useMe } from "../api/session.ts";
import { formatRoom } from "../parts/Amount.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { Facts, Tag } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";
import { dayText } from "../parts/words.ts";
import { Pair } from "./Pair.tsx";
import { askedText, statusWords, toneOf, type Verb, verbs } from "./words.ts";

const Decide = lazy(async () => ({ default: (await import("./Decide.tsx")).Decide }));
const SayMore = lazy(async () => ({ default: (await import("./SayMore.tsx")).SayMore }));

/** One request: requester, amount, purpose, state, and my actions. */
export function RequestCard({ request }: { request: Request }) {
  const [isDeciding, setDeciding] = useState(false);
  const { asked, offered, granted, decision, note, mine } = request;
  const title = askedText(request);
  return (
    <article className="card stack gap-12" aria-label={title}>
      <div className="card-head flush">
        <h2>{title}</h2>
        <Tag tone={toneOf(request.status)}>{statusWords[request.status]}</Tag>
      </div>
      {note === "" ? null : <p className="flush as-typed">{note}</p>}
      <Facts
        of={{
          Requested: <Pair of={asked} />,
          ...(offered === null ? {} : { Offered: <Pair of={offered} /> }),
          ...(granted === null ? {} : { Granted: <Pair of={granted} /> }),
          "Taken from": request.from,
          Dataset: (
            <Link to="/datasets/$dataset" params={{ dataset: request.dataset.id }}>
              {request.dataset.name}
            </Link>
          ),
          [mine.mayDecide || mine.mayAnswer ? "Expires" : "Made"]: dayText(
            mine.mayDecide || mine.mayAnswer ? request.expiresAt : request.createdAt,
          ),
        }}
      />
      {decision === null ? null : (
        <p className="soft small flush">
          {decision.by.name}{" "}
          {decision.self ? "decided on their own request" : request.status === "infoRequested" ? "asked" : "answered"}
          {decision.note === "" ? "." : `: ${decision.note}`}
        </p>
      )}
      {request.answer === "" ? null : (
        <p className="soft small flush as-typed">
          {request.requester.name} answered: {request.answer}
        </p>
      )}
      {request.origin === null ? null : (
        <p className="soft small flush">Passed on: a request that {request.holder.name} cannot pay for waits for it.</p>
      )}
      {mine.mayDecide ? (
        <div className="page-actions">
          <Button onClick={() => setDeciding(true)}>Decide</Button>
          {request.status === "submitted" ? <More request={request} verb="ask" /> : null}
          {mine.mayEscalate ? <More request={request} verb="escalate" /> : null}
        </div>
      ) : null}
      {mine.mayAnswer ? <Answers request={request} /> : null}
      <PlanNow request={request} />
      {isDeciding ? (
        <Suspense fallback={null}>
          <Decide request={request} onClose={() => setDeciding(false)} />
        </Suspense>
      ) : null}
    </article>
  );
}

/** The button of an action that says something, and its dialog. */
function More({ request, verb }: { request: Request; verb: Verb }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {verbs[verb].button}
      </Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <SayMore request={request} verb={verb} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

/** What one does with what was granted to oneself. */
function PlanNow({ request: { requester, holder, granted, account, dataset } }: { request: Request }) {
  const me = useMe().data?.person.id;
  if (granted === null || account === null || requester.id !== me || holder.id !== me) return null;
  return (
    <div className="page-actions">
      <ButtonLink to="/datasets/$dataset/plan" params={{ dataset: dataset.id }} search={{ account }} variant="default">
        Plan a release
      </ButtonLink>
    </div>
  );
}

/** The requester's actions: withdraw the request, or answer an offer. */
function Answers({ request }: { request: Request }) {
  const answer = { request: request.id, version: request.version };
  const accept = useChange((client) => client.acceptOffer(answer));
  const decline = useChange((client) => client.declineOffer(answer));
  const withdraw = useChange((client) => client.withdrawRequest(answer));
  const isBusy = accept.isPending || decline.isPending || withdraw.isPending;
  const error = accept.error ?? decline.error ?? withdraw.error;
  return (
    <>
      <Fault error={error} />
      <div className="page-actions">
        {request.status === "counterOffered" ? (
          <>
            <Button disabled={isBusy} onClick={() => accept.mutate(undefined)}>
              Accept ε {formatRoom(request.offered?.epsilon ?? "0")}
            </Button>
            <Button variant="default" disabled={isBusy} onClick={() => decline.mutate(undefined)}>
              Decline
            </Button>
          </>
        ) : (
          <>
            {request.status === "infoRequested" ? <More request={request} verb="answer" /> : null}
            <Button variant="default" disabled={isBusy} onClick={() => withdraw.mutate(undefined)}>
              Withdraw
            </Button>
          </>
        )}
      </div>
    </>
  );
}
