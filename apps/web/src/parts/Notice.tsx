import type { ErrorCode as Code } from "@dosimeter/core";
import type { ReactNode } from "react";

interface NoticeProps {
  tone: "danger" | "warn" | "good" | "plain";
  title?: string;
  children: ReactNode;
  isAlert?: boolean;
}

/** A boxed message. `isAlert` interrupts a screen reader; otherwise it is read in its place. */
export function Notice({ tone, title, children, isAlert = false }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone} role={isAlert ? "alert" : undefined}>
      {title === undefined ? null : <h2>{title}</h2>}
      {children}
    </div>
  );
}

/** The code of an error, which leads to what it means and what to do. */
export function ErrorCode({ code }: { code: Code }) {
  return (
    <p>
      <a className="code" href={`docs/errors/${code}.html`}>
        {code}
      </a>
    </p>
  );
}

/** The statement as the ledger keeps it, for those who check it. */
export const ExactStatement = ({ children }: { children: ReactNode }) => (
  <details className="small">
    <summary>Exact statement</summary>
    {children}
  </details>
);
