/** The first name of a list that is an earlier one but for case and the way its letters are written. */
export function nameTwice(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name.normalize("NFC").toLowerCase()).size);
}
