import {
  type CalendarUnit,
  type Course,
  type DpEvent,
  type EpsilonAmount,
  epsilonAmount,
  formatRational,
  gaussianMultiplier,
  type Mu2Amount,
  openTerms,
  PrivacyError,
  quotaDelta,
  type Rule,
  simulate,
} from "@dosimeter/core";
import { budgetCourseChart, courseText } from "@dosimeter/plot";
import { useMemo, useState } from "react";
import { Figure } from "../parts/Figure.tsx";
import { Check, NumberField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { EPSILON, isTyped, numberOf, plainOf, WHOLE, type Wish } from "../parts/number-text.ts";

/** Ten years of months, computed while a person types. */
const MAX_SHOWN_BLOCKS = 120;
const MAX_TEAMS = 10;

const few = (max: number): Wish => ({ ...WHOLE, max });

interface Reports {
  readonly blocks: string;
  readonly teams: string;
  readonly price: string;
  readonly latest: string;
  readonly every: string;
  /** Whether they are totals to date that go on: of all blocks, each of which pays once. Only Gaussian noise does. */
  readonly goesOn: boolean;
}

interface Budget {
  readonly epsilon: string;
  readonly delta: string;
  readonly rule: Rule;
}

interface RunsOutProps extends Budget {
  readonly every: CalendarUnit;
  /** Whether ε and δ are typed in. */
  readonly isReady: boolean;
}

/** When the budget that is about to be opened runs out: as one lifetime, and with one for each block. */
export function RunsOut(of: RunsOutProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="card chooser-inside" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>When does it run out?</summary>
      {isOpen ? <Questions {...of} /> : null}
    </details>
  );
}

function Questions({ every, isReady, epsilon, delta, rule }: RunsOutProps) {
  const [reports, setReports] = useState<Reports>({
    blocks: "24",
    teams: "3",
    price: "0.02",
    latest: "12",
    every: "1",
    goesOn: false,
  });
  const goesOn = rule === "tight" && reports.goesOn;
  const course = useMemo(
    () => (isReady ? courseOf({ epsilon, delta, rule }, { ...reports, goesOn }) : null),
    [isReady, epsilon, delta, rule, reports, goesOn],
  );
  const field = (name: Exclude<keyof Reports, "goesOn">, label: string, wish = few(MAX_SHOWN_BLOCKS)) => (
    <NumberField
      label={label}
      wish={wish}
      value={reports[name]}
      onChange={(text) => setReports({ ...reports, [name]: text })}
    />
  );
  return (
    <div className="stack">
      <p className="flush">
        Several teams with equal parts of the budget, and each gets the same report again and again. With one lifetime
        the reports end when it is spent. With a budget for each {every} they go on while every {every} of a report has
        room.
      </p>
      <div className="fields">
        {field("blocks", `Number of ${every}s`)}
        {field("teams", "Teams", few(MAX_TEAMS))}
        {field("price", goesOn ? `ρ of the first ${every}` : "ε of one report", EPSILON)}
        {goesOn ? null : field("latest", `Latest ${every}s in a report`)}
        {goesOn ? null : field("every", `${every.charAt(0).toUpperCase()}${every.slice(1)}s between reports`)}
      </div>
      {rule === "tight" ? (
        <Check
          label="A running total that goes on"
          description={`A total to date after each ${every}, which pays once for its part in all of them.`}
          checked={goesOn}
          onChange={(isChecked) => setReports({ ...reports, goesOn: isChecked })}
        />
      ) : null}
      {isReady ? null : <p className="soft">Enter ε and δ above to see it.</p>}
      {course === null ? null : "fault" in course ? (
        <Notice tone="warn" title="This cannot be computed">
          <p>{course.fault}</p>
        </Notice>
      ) : (
        <Figure
          chart={(size) => budgetCourseChart({ title: "One lifetime against blocks", every, course }, size)}
          caption={courseText(every, course)}
        />
      )}
    </div>
  );
}

/** Gaussian noise that costs this ρ. */
const noiseOf = (rho: string): DpEvent => ({
  kind: "gaussian",
  noiseMultiplier: formatRational(gaussianMultiplier((2n * epsilonAmount(rho, "up")) as Mu2Amount)),
});

/** The course of these reports; null while a field is not filled in. */
function courseOf(
  budget: Budget,
  { blocks, teams, price, latest, every, goesOn }: Reports,
): Course | { fault: string } | null {
  const whole = few(MAX_SHOWN_BLOCKS);
  const isTypedIn =
    [blocks, latest, every].every((text) => isTyped(text, whole)) &&
    isTyped(teams, few(MAX_TEAMS)) &&
    isTyped(price, EPSILON);
  if (!isTypedIn) return null;
  try {
    const terms = openTerms(budget);
    const sharing = numberOf(teams, few(MAX_TEAMS));
    const epsilon = (terms.epsilon / BigInt(sharing)) as EpsilonAmount;
    const names = Array.from({ length: sharing }, (_, index) => `team ${index + 1}`);
    const count = numberOf(blocks, whole);
    return simulate({
      blocks: count,
      terms,
      teams: names.map((name) => ({ name, quota: { epsilon, delta: quotaDelta(terms, { epsilon }) } })),
      reports: names.map((team) =>
        goesOn
          ? { team, events: [noiseOf(plainOf(price, EPSILON))], latest: 1, every: 1, horizon: count }
          : {
              team,
              events: [{ kind: "pure", epsilon: plainOf(price, EPSILON) }],
              latest: numberOf(latest, whole),
              every: numberOf(every, whole),
            },
      ),
    });
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    return { fault: error.message };
  }
}
