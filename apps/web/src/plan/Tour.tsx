import { useState } from "react";
import { currentStep, type TourState, tourSteps } from "./tour.ts";

const SEEN = "dosimeter-plan-tour";

function isDismissed(): boolean {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

/** A short guide that follows the person's steps on the page; a person can hide it permanently. */
export function Tour({ state }: { state: TourState }) {
  const [isGone, setGone] = useState(isDismissed);
  const [passed, setPassed] = useState(0);
  const step = currentStep(state, passed);
  if (isGone || step === null) return null;
  const { title, text } = tourSteps[step] ?? { title: "", text: "" };
  const dismiss = (): void => {
    setGone(true);
    try {
      localStorage.setItem(SEEN, "1");
    } catch {
      // A browser that stores nothing shows the guide again.
    }
  };
  return (
    <aside className="tour" aria-label="Guide">
      <p className="soft small" style={{ margin: 0 }}>
        Step {step + 1} of {tourSteps.length}
      </p>
      <p style={{ margin: "2px 0 0" }}>
        <strong>{title}.</strong> {text}
      </p>
      {step + 1 < tourSteps.length ? (
        <button type="button" className="tool" onClick={() => setPassed(step + 1)}>
          Next tip
        </button>
      ) : null}
      <button type="button" className="tool" onClick={dismiss}>
        Hide tips
      </button>
    </aside>
  );
}
