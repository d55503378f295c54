import type { ColumnType } from "@dosimeter/query/declaration";
import { CATEGORY_WORDS, wordsOf } from "../parts/words.ts";

type GuessedType = ColumnType | "timestamp";

/** What a header suggests of a column. */
export interface Guess {
  readonly type: GuessedType;
  /** Of its numbers; "" where the name says none. */
  readonly unit: string;
  /** The type of the file itself, or a word of the name; null where nothing says more than that it is a text. */
  readonly from: "file" | "name" | null;
}

const byStorage: readonly (readonly [RegExp, GuessedType])[] = [
  [/^BOOL/i, "boolean"],
  [/^timestamp with time zone/i, "timestamp"],
  [/^(DATE$|TIMESTAMP(_|$)|timestamp without)/i, "date"],
  [/INT/i, "integer"],
  [/DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC/i, "number"],
];

/** Words in a name that say what a column holds; the first line that fits decides. Those of other languages have no accents here. */
const byWord: readonly (readonly [RegExp, GuessedType])[] = [
  [/^(?:id|uid|uuid|key|code|zip|postcode|plz|phone|email|name|address|comments?|text)$/, "text"],
  [/^(?:kennung|identifiant|identificador|nachname|vorname|apellido|adresse|direccion|kommentar|commentaire)$/, "text"],
  [/^(?:timestamp|datetime|zeitstempel|horodatage)$/, "timestamp"],
  [/^(?:date|dob|birthday|birthdate|datum|geburtsdatum|fecha|naissance|nacimiento|nascita)$/, "date"],
  [/^(?:is|has|was|flag|married|divorced|employed|smoker|citizen|insured|disabled|retired|active)$/, "boolean"],
  [/^(?:raucher|raucherin|verheiratet|fumeur|fumador|fumatore)$/, "boolean"],
  [CATEGORY_WORDS, "category"],
  [/^(?:geschlecht|sexe|sexo|sesso|genre|genero|bundesland|pays|pais|paese|stadt|ville|ciudad|citta)$/, "category"],
  [/^(?:beruf|profesion|profissao|bildung|schulbildung|abschluss|familienstand|diagnose|gruppe|stufe)$/, "category"],
  [
    /^(?:age|year|month|day|hour|minute|count|number|num|children|siblings|visits|size|persons|people|rooms)$/,
    "integer",
  ],
  [/^(?:years|months|days|hours|minutes|births|deaths|times)$/, "integer"],
  [/^(?:alter|edad|idade|eta|leeftijd|jahr|geburtsjahr|annee|ano|anno|jaar|anzahl|kinder|enfants|hijos)$/, "integer"],
  [/^(?:income|salary|wage|earnings|cost|price|amount|revenue|rent|tax|fee|expenses|debt|total)$/, "number"],
  [/^(?:einkommen|gehalt|lohn|miete|kosten|preis|revenu|salaire|ingresos?|salario|reddito|renda|inkomen)$/, "number"],
  [
    /^(?:weight|height|bmi|temperature|score|rate|ratio|share|percent|distance|length|width|speed|latitude|longitude)$/,
    "number",
  ],
  [/^(?:gewicht|grosse|groesse|korpergrosse|koerpergroesse|poids|taille|peso|altura|altezza|temperatur)$/, "number"],
];

const UNITS =
  /^(?:[mcµunk]?m|km|in|ft|mi|[mkµ]?g|lb|oz|[mcd]?l|°?[CF]|K|ms|s|sec|min|h|mmhg|bpm|k?cal|kwh|mph|km\/h|%|‰|o\/oo|m2|m²|kg\/m2|kg\/m²|mg\/dl|mmol\/l|usd|eur|gbp|chf|[$€£¥])$/i;
const TIMES = /^(?:years?|yrs?|months?|weeks?|days?|hours?|minutes?|seconds?|jahre|tage|ans|annees|anos|anni)$/i;

/** `Culmen Depth (mm)`, `weight_kg`, `time [s]`: letters of a unit alone are one only at the end of a name in brackets, or after a line. */
function unitOf(name: string): string {
  const inBrackets = /[([]\s*([^()[\]]{1,12}?)\s*[)\]]\s*$/.exec(name)?.[1] ?? "";
  if (UNITS.test(inBrackets) || TIMES.test(inBrackets)) return inBrackets;
  const [, last = ""] = /.[_.]([\p{L}]{2,4})$/u.exec(name) ?? [];
  return UNITS.test(last) && !/^in$/i.test(last) ? last : "";
}

const plainWords = (name: string): readonly string[] =>
  wordsOf(name.normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("ß", "ss"));

/** What the header says of a column: the file's own type, or else its name. A value decides nothing. */
export function guessOf(name: string, storage: string): Guess {
  const unit = unitOf(name);
  const stored = byStorage.find(([pattern]) => pattern.test(storage))?.[1];
  if (stored !== undefined)
    return { type: stored, unit: stored === "integer" || stored === "number" ? unit : "", from: "file" };
  const words = plainWords(name);
  // A number that numbers things is a name: tail_number, accountNo.
  if (words.length > 1 && /^(?:number|num|no|nr|nummer)$/.test(words.at(-1) ?? ""))
    return { type: "text", unit: "", from: "name" };
  const named = byWord.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1];
  if (named === "integer" || named === "number") return { type: named, unit, from: "name" };
  if (unit !== "") return { type: TIMES.test(unit) ? "integer" : "number", unit, from: "name" };
  return { type: named ?? "text", unit: "", from: named === undefined ? null : "name" };
}

const PERSONS =
  /^(?:person|persona|persoon|patient|patientin|paciente|paziente|individual|individu|individuum|individuo|subject|sujet|sujeto|participant|participante|teilnehmer|teilnehmerin|proband|probandin|respondent|befragte|passenger|member|mitglied|customer|client|cliente|kunde|kundin|user|student|pupil|employee|mitarbeiter|mitarbeiterin|household|haushalt|menage|hogar|animal|tier|account|device|resident|beneficiary)$/;
const NUMBERS =
  /^(?:id|ids|uid|uuid|guid|key|nr|no|num|number|nummer|numero|code|kennung|identifier|identifiant|identificador|identificativo|pseudonym|hash)$/;
const SHORT = /^(?:id|uid|pid|hhid|persid|patid|patno|subjid|usubjid|caseid|respid|mrn|ssn)$/;

/** Whether the name of a column says that it tells people, or others to protect, apart: it is offered, never chosen. */
export function mayNameUnit(name: string): boolean {
  const words = plainWords(name);
  const [only = ""] = words.length === 1 ? words : [];
  return (
    SHORT.test(only) ||
    PERSONS.test(only) ||
    (words.some((word) => PERSONS.test(word)) && words.some((word) => NUMBERS.test(word)))
  );
}
