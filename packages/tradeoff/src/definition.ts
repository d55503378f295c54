import type { DpEvent } from "@dosimeter/core";

/** A curve as plain data: what `dosimeter calc`, a saved page and a URL hold. */
export type CurveDefinition =
  | { readonly epsdelta: readonly [epsilon: number, delta: number] }
  | { readonly gdp: number }
  | { readonly lap: number }
  | { readonly points: readonly (readonly [alpha: number, beta: number])[] }
  | { readonly compose: readonly CurveDefinition[] }
  | { readonly subsample: readonly [rate: number, curve: CurveDefinition] }
  | { readonly subsampleOneWay: readonly [rate: number, curve: CurveDefinition] }
  | { readonly group: readonly [size: number, curve: CurveDefinition] }
  | { readonly mechanism: DpEvent }
  | { readonly selfCompose: readonly [count: number, curve: CurveDefinition] }
  | { readonly symmetrise: CurveDefinition }
  | { readonly inverse: CurveDefinition }
  | { readonly max: readonly CurveDefinition[] }
  | { readonly min: readonly CurveDefinition[] }
  | { readonly mixture: readonly (readonly [weight: number, curve: CurveDefinition])[] }
  | { readonly pair: readonly [p: readonly number[], q: readonly number[]] }
  | { readonly staircase: readonly [epsilon: number, gamma: number] }
  | { readonly truncatedLaplace: readonly [epsilon: number, delta: number] }
  | { readonly boundedRange: number }
  | { readonly profile: readonly (readonly [epsilon: number, delta: number])[] }
  | { readonly rdp: readonly (readonly [order: number, epsilon: number])[] }
  | { readonly zcdp: number }
  /** The name of a curve that only a program can give. */
  | { readonly given: string };
