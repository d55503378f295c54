import type { Socket } from "node:net";

/** Connections that have not signed in: in all, and of one address, once they had time to sign in and before. */
const MAX_STRANGERS = 40;
const MAX_OF_ADDRESS = 5;
const MAX_ARRIVING = 20;
/** How long a client may need to sign in where others come from its address: a pool opens many connections at once. */
const ARRIVAL_MS = 2000;

/**
 * Who has not signed in yet. Where there is no room, a newcomer ends the oldest that has said nothing, else the oldest: no one keeps others out by
 * being there first, nor by coming in numbers.
 */
export function openStrangers() {
  /** Of each address, the oldest first, with the moment of arrival. */
  const addresses = new Map<string, Map<Socket, number>>();
  let count = 0;

  function leave(address: string, socket: Socket): void {
    const ofAddress = addresses.get(address);
    if (!ofAddress?.delete(socket)) return;
    count -= 1;
    if (ofAddress.size === 0) addresses.delete(address);
  }

  function endOldest(address: string): void {
    const sockets = [...(addresses.get(address)?.keys() ?? [])];
    const oldest = sockets.find(({ bytesRead }) => bytesRead === 0) ?? sockets[0];
    if (oldest === undefined) return;
    leave(address, oldest);
    oldest.destroy();
  }

  /** Of an address with more than its share, ends those that had their time. */
  function trim(address: string): void {
    const arrivals = [...(addresses.get(address)?.values() ?? [])];
    const late = arrivals.filter((arrived) => performance.now() - arrived >= ARRIVAL_MS);
    for (const _ of late.slice(0, Math.max(0, arrivals.length - MAX_OF_ADDRESS))) endOldest(address);
  }

  /** The address with the most connections; of several, the one that came first. */
  function fullest(): string {
    let [most, found] = [0, ""];
    for (const [address, { size }] of addresses) if (size > most) [most, found] = [size, address];
    return found;
  }

  return {
    /** Lets a connection in. The caller calls the returned function when it has signed in, and when it has ended. */
    enter(address: string, socket: Socket): () => void {
      trim(address);
      if ((addresses.get(address)?.size ?? 0) >= MAX_ARRIVING) endOldest(address);
      if (count >= MAX_STRANGERS) endOldest(fullest());
      const ofAddress = addresses.get(address) ?? new Map<Socket, number>();
      addresses.set(address, ofAddress.set(socket, performance.now()));
      count += 1;
      const timer = setTimeout(() => trim(address), ARRIVAL_MS + 1);
      return () => {
        clearTimeout(timer);
        leave(address, socket);
      };
    },
  };
}
