import { errorCodes, PrivacyError } from "@dosimeter/core";
import { Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { isUnanswered, useLostAt } from "../api/connection.ts";
import { ButtonLink } from "./buttons.tsx";
import { ErrorCode, Notice } from "./Notice.tsx";
import { Page } from "./Page.tsx";
import { grouped } from "./words.ts";

/** A request to the server and its state, as in the folder api/. */
export interface Query<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly isFetching: boolean;
  readonly refetch: () => Promise<unknown>;
}

/** Loading, error and data, the same everywhere. Old data stays visible while it is loaded again. */
export function Pending<T>({
  of,
  lines = 4,
  children,
}: {
  of: Query<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  const isWaiting = useLostAt() !== null && isUnanswered(of.error);
  if (of.data !== undefined) return children(of.data);
  if (of.error && !isWaiting) return <Fault error={of.error} retry={() => void of.refetch()} isBusy={of.isFetching} />;
  return <Loading lines={lines} />;
}

/** Draws a page's parts once all of these have loaded or failed, so that none moves when another arrives. */
export function Together({ of, children }: { of: readonly Pick<Query<unknown>, "isPending">[]; children: ReactNode }) {
  return of.some(({ isPending }) => isPending) ? <Loading lines={8} /> : children;
}

/** A page about one thing, with a heading while it loads and when it is not found. */
export function PendingPage<T>({
  of,
  name,
  wayOn,
  children,
}: {
  of: Query<T>;
  name: string;
  /** Further links when it is not found. */
  wayOn?: ReactNode;
  children: (data: T) => ReactNode;
}) {
  if (of.data !== undefined) return children(of.data);
  return (
    <Page title={name}>
      <Pending of={of}>{children}</Pending>
      {of.error ? (
        <p className="page-actions">
          {wayOn}
          <ButtonLink to="/" variant="default">
            Go home
          </ButtonLink>
        </p>
      ) : null}
    </Page>
  );
}

export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div role="status" aria-busy="true" className="stack gap-12">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change places
        <Skeleton key={line} height={line === 0 ? 22 : 14} width={`${[46, 92, 84, 70][line % 4]}%`} radius="sm" />
      ))}
    </div>
  );
}

/** An error in words, with its code and a next step; nothing where there is none, and where all pages say that the server does not answer. */
export function Fault({ error, retry, isBusy = false }: { error: unknown; retry?: () => void; isBusy?: boolean }) {
  const lostAt = useLostAt();
  if (error === null || error === undefined) return null;
  if (isUnanswered(error)) return lostAt === null ? <Unanswered retry={retry} isBusy={isBusy} /> : null;
  const known = error instanceof PrivacyError ? error : undefined;
  return (
    <Notice
      tone="danger"
      title={known === undefined ? "The server could not be reached" : sentence(errorCodes[known.code])}
      isAlert
    >
      {known === undefined ? (
        <p>Check the connection and whether Dosimeter is running. Nothing was charged by looking.</p>
      ) : known.message === errorCodes[known.code] ? null : (
        <p>{sentence(known.message.replace(/^(body|query|path)\./, ""))}</p>
      )}
      {known === undefined ? null : <ErrorCode code={known.code} />}
      {retry === undefined ? null : <TryAgain retry={retry} isBusy={isBusy} />}
    </Notice>
  );
}

/** The server answers again, and may not have heard what was asked. */
function Unanswered({ retry, isBusy }: { retry: (() => void) | undefined; isBusy: boolean }) {
  return (
    <Notice tone="warn" title="The server did not answer" isAlert>
      <p>It may not have done what you asked. It answers again: try once more.</p>
      {retry === undefined ? null : <TryAgain retry={retry} isBusy={isBusy} />}
    </Notice>
  );
}

const TryAgain = ({ retry, isBusy }: { retry: () => void; isBusy: boolean }) => (
  <Button size="xs" variant="default" mt="sm" onClick={retry} loading={isBusy}>
    Try again
  </Button>
);

/** Nothing here yet: says why and what to do next. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="state">
      <h2>{title}</h2>
      <p className="soft">{children}</p>
      {action}
    </div>
  );
}

/** A message of an error, with a capital, a full stop and grouped thousands. */
export function sentence(text: string): string {
  const start = grouped(text.charAt(0).toUpperCase() + text.slice(1));
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
