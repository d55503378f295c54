import { useTeams } from "../../api/people.ts";
import { Choice } from "../../parts/fields.tsx";

/** Who reads a draft next to its owner: one of their teams, or only they do. */
export function ShareWith({
  value,
  name,
  isBusy = false,
  onChange,
}: {
  value: string | null;
  /** Of the team that reads it now, until the list of teams is there. */
  name?: string | null;
  isBusy?: boolean;
  onChange: (team: string | null) => void;
}) {
  const teams = useTeams();
  const mine = (teams.data ?? []).filter(({ myRole, closedAt }) => myRole !== null && closedAt === null);
  const known = mine.map(({ id, name: label }) => ({ value: id, label: `people of ${label}` }));
  const now =
    value === null || known.some((team) => team.value === value)
      ? []
      : [{ value, label: name ? `people of ${name}` : "a team" }];
  return (
    <Choice
      label="Who reads it"
      disabled={isBusy}
      value={value ?? ""}
      data={[{ value: "", label: "only me" }, ...now, ...known]}
      onChange={(chosen) => onChange(chosen || null)}
    />
  );
}
