import { Choice } from "./fields.tsx";

/** One of the people who were not removed, or the empty choice. */
export function ChoosePerson({
  label,
  people,
  value,
  onChange,
  empty = "choose",
}: {
  label: string;
  people: readonly { readonly id: string; readonly name: string; readonly removedAt: string | null }[];
  value: string;
  onChange: (person: string) => void;
  /** What the empty choice is called. */
  empty?: string;
}) {
  return (
    <Choice
      label={label}
      value={value}
      onChange={onChange}
      data={[
        { value: "", label: empty },
        ...people.filter(({ removedAt }) => removedAt === null).map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
