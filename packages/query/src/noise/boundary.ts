import { halved } from "@dosimeter/core/internal";

/**
 * Where an interval of values that are not refuted ends, found by bisection: between `outside` and an accepted `inside`, a
 * refuted point next to the boundary, so that the interval only grows; `outside` itself when it is accepted.
 */
export const boundaryBy =
  (bisections: number) =>
  (outside: number, inside: number, accepted: (x: number) => boolean): number => {
    if (outside === inside || accepted(outside)) return outside;
    return halved(accepted, outside, inside, bisections)[0];
  };
