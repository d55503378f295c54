import type { Release } from "@dosimeter/client";
import type { Plan } from "@dosimeter/query/statistics";

type WirePlan = Release["plan"];

/** A plan as the wire says it, with its fields left open. */
export const planView = (plan: Plan): WirePlan => plan as WirePlan;

/** A plan of the wire, whose values `boundPlan` checks. */
export const planAsked = (plan: WirePlan): Plan => plan as Plan;
