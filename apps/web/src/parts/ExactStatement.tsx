import type { ReactNode } from "react";

/** The statement as the ledger keeps it, for those who check it. */
export const ExactStatement = ({ children }: { children: ReactNode }) => (
  <details className="small">
    <summary>Exact statement</summary>
    {children}
  </details>
);
