import { useDebouncedValue } from "@mantine/hooks";
import { getRouteApi, Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useSearch } from "../api/service.ts";
import { TextField } from "../parts/fields.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import "../notifications/notifications.css";

const route = getRouteApi("/search");

/** Datasets, teams, people, releases and requests that I can see, by name or id. */
export function Search() {
  const { text = "" } = route.useSearch();
  const navigate = useNavigate();
  const router = useRouter();
  const [typed, setTyped] = useState(text);
  const [settled] = useDebouncedValue(typed.trim(), 200);
  const found = useSearch(settled);
  const written = useRef(text);
  useEffect(() => {
    const isLeaving = router.latestLocation.pathname !== "/search";
    if (settled === written.current || isLeaving) return;
    written.current = settled;
    void navigate({ to: "/search", search: settled === "" ? {} : { text: settled }, replace: true });
  }, [settled, navigate, router]);
  useEffect(() => {
    if (text === written.current) return;
    written.current = text; // another search than the one typed here, by a link or by the way back
    setTyped(text);
  }, [text]);
  return (
    <Page title="Search" lead="Search by part of a name or by an id. Only what you may see is found.">
      <Card>
        <TextField className="narrow above-12" type="search" label="Search for" value={typed} onChange={setTyped} />
        {settled === "" ? null : (
          <Pending of={found} lines={3}>
            {({ items }) =>
              items.length === 0 ? (
                <Empty title="Nothing found" action={<Link to="/catalog">Datasets that you may ask for</Link>}>
                  You find another person’s dataset once you have budget on it, or its admin lists it.
                </Empty>
              ) : (
                <ul className="link-list" aria-label="Found">
                  {items.map(({ id, kind, name, hint, path }) => (
                    <li key={`${kind} ${id} ${name}`}>
                      <div>
                        <Link to={path}>{name}</Link>
                      </div>
                      <span className="soft small">{hint}</span>
                    </li>
                  ))}
                </ul>
              )
            }
          </Pending>
        )}
      </Card>
    </Page>
  );
}
