/** Words in a name of which a column holds kinds or places, also where they are written as numbers. */
export const CATEGORY_WORDS =
  /^(?:sex|gender|race|ethnicity|state|region|country|county|ward|kind|type|category|group|class|status|level|educ|education|schooling|occupation|industry|language|religion|diagnosis|department|puma|fips|city)$/;

/** The words of a name: `householdSize_2` has household and size. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
