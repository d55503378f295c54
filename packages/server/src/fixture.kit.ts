import { afterAll, beforeAll, onTestFinished } from "vitest";
import { buildFixture, type Fixture, openTestInstance } from "./instance.kit.ts";

/** The fixture of a file, from its first test to its last. */
export function fixtureOf(options: () => Parameters<typeof openTestInstance>[0] = () => undefined): Fixture {
  const fixture = {} as Fixture;
  beforeAll(async () => {
    Object.assign(fixture, await buildFixture(await openTestInstance(options())));
  });
  afterAll(() => fixture.instance.close());
  return fixture;
}

/** An instance that is closed when its test is over. */
export async function instanceOfTest(
  ...options: Parameters<typeof openTestInstance>
): ReturnType<typeof openTestInstance> {
  const instance = await openTestInstance(...options);
  onTestFinished(() => instance.close());
  return instance;
}
