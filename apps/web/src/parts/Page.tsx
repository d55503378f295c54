import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { PageHelp } from "../help/PageHelp.tsx";

interface PageProps {
  title: string;
  lead?: ReactNode;
  crumbs?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page's heading; it also names the window, which the shell announces after a change of page. */
export function Page({ title, lead, crumbs, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Dosimeter`;
  }, [title]);
  return (
    <>
      <header className="page-head">
        <div>
          {crumbs === undefined ? null : (
            <nav className="crumbs" aria-label="Where this is">
              {crumbs}
            </nav>
          )}
          <div className="page-title">
            <h1>{title}</h1>
            <PageHelp />
          </div>
          {lead === undefined ? null : <p>{lead}</p>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

/** A titled part of a page. */
export function Card({ title, aside, children }: { title?: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="card" aria-label={title}>
      {title === undefined ? null : (
        <div className="card-head">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

/** Names and values side by side. */
export function Facts({ of, className = "facts" }: { of: Readonly<Record<string, ReactNode>>; className?: string }) {
  return (
    <dl className={className}>
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Tag({ tone = "plain", children }: { tone?: "plain" | "good" | "warn"; children: ReactNode }) {
  return (
    <span className="tag" data-tone={tone}>
      {children}
    </span>
  );
}

/** Where a page of one dataset is; the name is waited for. */
export const DatasetCrumbs = ({ id, name = "…" }: { readonly id: string; readonly name?: string | undefined }) => (
  <>
    <Link to="/datasets">Datasets</Link> ›{" "}
    <Link to="/datasets/$dataset" params={{ dataset: id }}>
      {name}
    </Link>
  </>
);
