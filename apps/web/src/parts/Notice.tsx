import type { ReactNode } from "react";

/** A boxed message. `isAlert` interrupts a screen reader; otherwise it is read in its place. */
export function Notice({
  tone,
  title,
  children,
  isAlert = false,
}: {
  tone: "danger" | "warn" | "good" | "plain";
  title?: string;
  children: ReactNode;
  isAlert?: boolean;
}) {
  return (
    <div className="notice" data-tone={tone} role={isAlert ? "alert" : undefined}>
      {title === undefined ? null : <h2>{title}</h2>}
      {children}
    </div>
  );
}
