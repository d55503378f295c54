import { afterEach, describe, expect } from "vitest";
import { catalogKit } from "../catalog/catalog.kit.ts";
import { sharedKit } from "../instance/instance.kit.ts";
import { chargeKit } from "../ledger/charge.kit.ts";
import { quotaKit } from "../ledger/quota.kit.ts";
import { switchKit } from "../ledger/switch.kit.ts";
import { outboxKit } from "../outbox/outbox.kit.ts";
import { accessKit } from "../people/access.kit.ts";
import { peopleKit } from "../people/people.kit.ts";
import { releaseKit } from "../release/release.kit.ts";
import { buildTown, type Town, type TownOptions } from "../testing/fixture.kit.ts";
import type { Store } from "./store.ts";
import { transactionKit } from "./transaction.kit.ts";

/** The specification of a store: everything here holds on each one. `open` gives a new, empty one. */
export function storeKit(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    const towns: Town[] = [];
    const town = async (options?: TownOptions): Promise<Town> => {
      const built = await buildTown(await open(), options);
      towns.push(built);
      return built;
    };
    afterEach(async () => {
      for (const { books } of towns.splice(0)) {
        const { problems } = await books.audit.verify();
        await books.close();
        expect(problems).toEqual([]);
      }
    });

    peopleKit(town);
    accessKit(town);
    outboxKit(town);
    catalogKit(town);
    quotaKit(town);
    chargeKit(town);
    switchKit(town);
    releaseKit(town);
    transactionKit(open);
    sharedKit(open);
  });
}
