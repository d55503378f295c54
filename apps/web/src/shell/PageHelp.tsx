import { useMatch } from "@tanstack/react-router";
import { explorePages } from "../explore/pages.ts";
import { type Help, helpPages } from "./help.ts";

/** The “?” beside the heading of a page, which leads to the place in the documentation that explains the page. */
export function PageHelp() {
  const address = useMatch({ strict: false, select: ({ fullPath }) => fullPath });
  const { docs, about } = helpOf(address);
  const [page, heading] = docs.split("#");
  const name = `Help: ${about}`;
  return (
    <a
      className="page-help"
      href={`docs/${page}.html${heading === undefined ? "" : `#${heading}`}`}
      aria-label={name}
      title={name}
    >
      ?
    </a>
  );
}

/** A page that the router does not know is explained by the front page of the documentation. */
function helpOf(address: string): Help {
  const ofExplore = explorePages.find(({ path }) => address === `/explore/${path}`);
  return ofExplore?.help ?? (helpPages as Readonly<Record<string, Help>>)[address] ?? helpPages["/"];
}
