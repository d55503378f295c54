import { afterEach, describe, expect } from "vitest";
import { publicAnswerKit } from "../accounts/public-answer.kit.ts";
import { quotaKit } from "../accounts/quota.kit.ts";
import { agentKit } from "../agents/agent.kit.ts";
import { blockKit } from "../blocks/block.kit.ts";
import { catalogKit } from "../catalog/catalog.kit.ts";
import { chargeKit } from "../charges/charge.kit.ts";
import { declareKit } from "../charges/declare.kit.ts";
import { switchKit } from "../charges/switch.kit.ts";
import { draftKit } from "../drafts/draft.kit.ts";
import { migrateKit } from "../guarantee/migrate.kit.ts";
import { sharedKit } from "../instance/instance.kit.ts";
import { outboxKit } from "../outbox/outbox.kit.ts";
import { accessKit } from "../people/access.kit.ts";
import { peopleKit } from "../people/people.kit.ts";
import { provisioningKit } from "../provisioning/provisioning.kit.ts";
import { releaseKit } from "../release/release.kit.ts";
import { continualKit } from "../schedules/continual.kit.ts";
import { scheduleKit } from "../schedules/schedule.kit.ts";
import { buildFixture, type Fixture, type FixtureOptions } from "../testing/fixture.kit.ts";
import { blockModelKit } from "../testing/model-blocks.kit.ts";
import { reopenKit } from "../verify/reopen.kit.ts";
import type { Store } from "./store.ts";
import { transactionKit } from "./transaction.kit.ts";

/** The specification of a store: everything here holds on each one. `open` gives a new, empty one. */
export function storeKit(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    const fixtures: Fixture[] = [];
    const fixture = async (options?: FixtureOptions): Promise<Fixture> => {
      const built = await buildFixture(await open(), options);
      fixtures.push(built);
      return built;
    };
    afterEach(async () => {
      for (const { database } of fixtures.splice(0)) {
        const { problems } = await database.audit.verify();
        await database.close();
        expect(problems).toEqual([]);
      }
    });

    peopleKit(fixture);
    accessKit(fixture);
    provisioningKit(fixture);
    outboxKit(fixture);
    agentKit(fixture);
    draftKit(fixture);
    catalogKit(fixture);
    quotaKit(fixture);
    publicAnswerKit(fixture);
    chargeKit(fixture);
    declareKit(fixture);
    blockKit(fixture);
    migrateKit(fixture);
    scheduleKit(fixture);
    continualKit(fixture);
    blockModelKit(open);
    reopenKit(fixture);
    switchKit(fixture);
    releaseKit(fixture);
    transactionKit(open);
    sharedKit(open);
  });
}
