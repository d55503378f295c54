import { PrivacyError } from "@dosimeter/core";
import { Button } from "@mantine/core";
import { ButtonLink } from "../parts/buttons.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Page } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";

/** Shown when a page failed to draw or to load. */
export function Crash({ error, reset }: { error: unknown; reset: () => void }) {
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
