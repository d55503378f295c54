import type { Account, Balance } from "@dosimeter/client";
import { gaugeDial, gaugeTexts, moreText } from "@dosimeter/plot";
import { dialOf } from "../charts.ts";
import { Amount } from "./Amount.tsx";
import { SceneView } from "./SceneView.tsx";
import "./gauge.css";

const widths = { small: 44, large: 176 } as const;

/**
 * The dial of a budget. Spent is gone for good, promised was given to budgets below and is not spent there, free is the rest: together they
 * are the budget. `small` has what is free next to it, for a line or a row; `large` has it inside. `free` is the ε that was not given to an
 * account below; `more` says how many more like the last charge fit.
 */
export function Gauge({
  title,
  balance,
  free,
  more = null,
  size = "small",
}: {
  title: string;
  balance: Balance;
  free: string;
  more?: Account["more"];
  size?: keyof typeof widths;
}) {
  const spec = dialOf(title, balance, { free, more });
  const { scene, summary } = gaugeDial(spec, { width: widths[size] });
  const texts = gaugeTexts(spec);
  const isSplit = spec.promised !== "0";
  const unit = spec.unit === "ε" ? "ε" : "μ²";
  return (
    <div className="gauge" data-size={size}>
      <SceneView scene={scene} label={`${title}. ${summary}`} />
      <p className="gauge-words">
        {size === "large" ? null : (
          <span className="gauge-left">
            <strong>
              <Amount unit={unit} isRoom of={spec.free} as={texts.free} />
            </strong>{" "}
            of <Amount isRoom of={spec.total} as={texts.total} /> free
          </span>
        )}
        {more === null ? null : <span className="gauge-more">{moreText(more)}</span>}
        {size === "small" && !isSplit ? null : (
          <span className="soft small">
            <Amount unit={unit} of={spec.spent} as={texts.spent} /> spent
            {isSplit ? (
              <>
                {" "}
                · <Amount unit={unit} of={spec.promised} as={texts.promised} /> promised
              </>
            ) : null}
          </span>
        )}
      </p>
    </div>
  );
}
