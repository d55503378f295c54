import { NativeSelect } from "@mantine/core";

/** One of some people who are still here, or nobody yet. */
export function ChoosePerson({
  label,
  people,
  value,
  onChange,
  nobody = "choose",
}: {
  label: string;
  people: readonly { readonly id: string; readonly name: string; readonly removedAt: string | null }[];
  value: string;
  onChange: (person: string) => void;
  /** What the empty choice is called. */
  nobody?: string;
}) {
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: "", label: nobody },
        ...people.filter(({ removedAt }) => removedAt === null).map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  );
}
