import { useRouterState } from "@tanstack/react-router";
import { helpOf } from "./help.ts";

/** The “?” next to the heading of a page, which leads to the place in the documentation that explains the page. */
export function PageHelp() {
  const address = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath ?? "" });
  const [docs, about] = helpOf(address);
  const name = `Help: ${about}`;
  return (
    <a className="page-help" href={`docs/${docs.replace(/#|$/, ".html$&")}`} aria-label={name} title={name}>
      ?
    </a>
  );
}
