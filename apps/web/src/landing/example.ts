/**
 * A release of the demo: `count where age >= 65` of its 20,000 made-up people at ε = 0.1. The noise that was drawn is known only because the
 * people are made up; `test/landing-example.test.ts` counts them again.
 */
export const example = { epsilon: 0.1, lifetime: 5, answer: 2955, noise: -23 } as const;
