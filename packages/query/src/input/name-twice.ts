/** The first name of a list that is an earlier one but for case, blanks around it and the way its letters are written: no one tells them apart. */
export function nameTwice(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name.normalize("NFC").trim().toLowerCase()).size);
}
