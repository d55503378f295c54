import type { Person } from "@dosimeter/client";
import { RowButton } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Tag } from "../parts/Page.tsx";
import { dayText } from "../parts/words.ts";

export const kinds = { user: "person", service: "service", agent: "AI agent" } as const;

/** What an admin can do to a person of the directory. */
export interface PersonActions {
  readonly edit: (person: Person) => void;
  readonly remove: (person: Person) => void;
  readonly restore: (person: Person) => void;
  readonly erase: (person: Person) => void;
  readonly sendLink: (person: Person) => void;
  /** Undefined where no one signs in by password. */
  readonly sendPasswordLink: ((person: Person) => void) | undefined;
  readonly removeFactor: (person: Person) => void;
  readonly showTokens: (person: Person) => void;
  readonly isLinking: boolean;
  readonly isRestoring: boolean;
}

interface PeopleTableProps {
  people: readonly Person[];
  /** Also those that are not shown: a service may act for one of them. */
  all: readonly Person[];
  me: string;
  /** Undefined for all who are no admin. */
  actions: PersonActions | undefined;
}

/** The directory as a table; with addresses and actions for an admin. */
export function PeopleTable({ people, all, me, actions }: PeopleTableProps) {
  return (
    <DataTable
      caption="People"
      isCaptionHidden
      isStacking
      rows={people}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Name",
          isHead: true,
          cell: ({ name, id, demo, removedAt }) => (
            <>
              {name} {id === me ? <Tag>you</Tag> : null} {demo ? <Tag>demo</Tag> : null}
              {removedAt === null ? null : <Tag tone="warn">removed</Tag>}
            </>
          ),
        },
        {
          name: "Kind",
          cell: ({ kind, onBehalfOf }) =>
            onBehalfOf === null
              ? kinds[kind]
              : `${kinds[kind]} for ${all.find(({ id }) => id === onBehalfOf)?.name ?? "someone"}`,
        },
        ...(actions === undefined
          ? []
          : [{ name: "E-mail", cell: ({ email }: Person) => <span className="anywhere">{email ?? "–"}</span> }]),
        { name: "Since", cell: ({ createdAt }) => <span className="nowrap">{dayText(createdAt)}</span> },
        ...(actions === undefined
          ? []
          : [
              {
                name: "Change",
                cell: (person: Person) => <PersonButtons person={person} isMe={person.id === me} actions={actions} />,
              },
            ]),
      ]}
    />
  );
}

function PersonButtons({ person, isMe, actions }: { person: Person; isMe: boolean; actions: PersonActions }) {
  const edit = <RowButton label="Edit" name={`Edit ${person.name}`} onClick={() => actions.edit(person)} />;
  if (isMe) return edit;
  if (person.removedAt !== null)
    return (
      <div className="row-actions">
        <RowButton
          label="Restore"
          name={`Restore ${person.name}`}
          isBusy={actions.isRestoring}
          onClick={() => actions.restore(person)}
        />
        <RowButton label="Erase" name={`Erase ${person.name}`} onClick={() => actions.erase(person)} />
      </div>
    );
  return (
    <div className="row-actions">
      {person.kind === "user" ? (
        <>
          <RowButton
            label="Sign-in link"
            name={`Sign-in link for ${person.name}`}
            isBusy={actions.isLinking}
            onClick={() => actions.sendLink(person)}
          />
          {actions.sendPasswordLink === undefined || person.email === null ? null : (
            <RowButton
              label="Password link"
              name={`Password link for ${person.name}`}
              isBusy={actions.isLinking}
              onClick={() => actions.sendPasswordLink?.(person)}
            />
          )}
          {person.hasSecondFactor === true ? (
            <RowButton
              label="Second factor"
              name={`Second factor of ${person.name}`}
              onClick={() => actions.removeFactor(person)}
            />
          ) : null}
        </>
      ) : (
        <RowButton label="Tokens" name={`Tokens of ${person.name}`} onClick={() => actions.showTokens(person)} />
      )}
      {edit}
      <RowButton label="Remove" name={`Remove ${person.name}`} onClick={() => actions.remove(person)} />
    </div>
  );
}
