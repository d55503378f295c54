import { PrivacyError } from "@dosimeter/core";
import { Button } from "@mantine/core";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Page } from "../parts/Page.tsx";
import { Fault } from "../parts/Pending.tsx";

/** What stands in a page's place when it failed to draw or to load. */
export function Crash({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <Page title="This page stopped working">
      <div className="stack">
        {error instanceof PrivacyError ? (
          <Fault error={error} />
        ) : (
          <Notice tone="danger" title="It is our fault, not yours" isAlert>
            <p>Nothing was charged by this. The rest of Dosimeter goes on working.</p>
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
    <Page title="There is no such page">
      <div className="state">
        <p className="soft">The address may be mistyped, or the thing may not be visible to you.</p>
        <ButtonLink to="/">Go home</ButtonLink>
      </div>
    </Page>
  );
}
