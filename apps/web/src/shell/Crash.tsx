import { PrivacyError } from "@dosimeter/core";
import { Button } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { isUnanswered, useLostAt } from "../api/connection.ts";
import { isGone } from "../api/part.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Page } from "../parts/Page.tsx";
import { Fault, Loading } from "../parts/Pending.tsx";

/** Shown when a page failed to draw or to load. */
export function Crash({ error, reset }: { error: unknown; reset: () => void }) {
  const router = useRouter();
  const isLost = useLostAt() !== null;
  const again = useRef<() => void>(() => undefined);
  again.current = () => {
    void router.invalidate();
    reset();
  };
  const isWaiting = isLost && isUnanswered(error);
  // Once the server answers, the page is asked for again.
  useEffect(() => (isWaiting ? () => again.current() : undefined), [isWaiting]);
  if (isUnanswered(error))
    return isLost ? <Loading lines={8} /> : <Fault error={error} retry={() => again.current()} />;
  if (isGone(error))
    return (
      <Page title="Load this page again">
        <Notice tone="warn" title="A part of it is not there any more">
          <p>Dosimeter has a newer version than this page. What you typed is kept, and is here again afterwards.</p>
          <Button mt="sm" disabled={isLost} onClick={() => location.reload()}>
            Load the page again
          </Button>
        </Notice>
      </Page>
    );
  return (
    <Page title="This page stopped working">
      <div className="stack">
        {error instanceof PrivacyError ? (
          <Fault error={error} />
        ) : (
          <Notice tone="danger" title="This is an error of ours, not yours" isAlert>
            <p>Nothing was charged. The rest of Dosimeter still works.</p>
            <p className="code">{error instanceof Error ? error.message : String(error)}</p>
          </Notice>
        )}
        <div className="page-actions">
          <Button onClick={reset}>Try again</Button>
          <ButtonLink to="/" variant="default">
            Go home
          </ButtonLink>
        </div>
      </div>
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <div className="state">
        <p className="soft">The address may be wrong, or the page may not be visible to you.</p>
        <ButtonLink to="/">Go home</ButtonLink>
      </div>
    </Page>
  );
}
