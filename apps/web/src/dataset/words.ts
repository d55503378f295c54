export const adjacencyText = {
  addRemove: "two tables are neighbours when one has one of them more",
  replace: "two tables are neighbours when one of them is exchanged",
  replaceSpecial: "two tables are neighbours when one of them is blanked",
} as const;
