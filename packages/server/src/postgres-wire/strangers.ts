import type { Socket } from "node:net";

/** Connections that have not signed in: in all, and of one address, once they had time to sign in and before. */
const MAX_STRANGERS = 40;
const MAX_OF_ADDRESS = 5;
const MAX_ARRIVING = 20;
/** How long a client may need to sign in where others come from its address: a pool opens many connections at once. */
const ARRIVAL_MS = 2000;
/** A client speaks first: silence says nothing before its first bytes have come over a slow line, which takes up to a round trip. */
const SILENCE_MS = 200;

/**
 * Who has not signed in yet. Where there is no room, a newcomer ends the oldest that had time to speak and has said nothing, else the oldest of those
 * that are more, the silent or the others: no one keeps others out by being there first, nor by coming in numbers.
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

  /** Those of an address that arrived at least `ms` ago, the oldest first. */
  const before = (address: string, ms: number): readonly Socket[] =>
    [...(addresses.get(address) ?? [])].flatMap(([one, at]) => (performance.now() - at >= ms ? [one] : []));

  function end(address: string, socket: Socket | undefined): void {
    if (socket === undefined) return;
    leave(address, socket);
    socket.destroy();
  }

  function endOne(address: string): void {
    const sockets = before(address, 0);
    const silent = sockets.filter(isSilent);
    const others = sockets.filter((one) => !isSilent(one));
    const more = silent.length > others.length ? silent : others;
    end(address, before(address, SILENCE_MS).find(isSilent) ?? more[0]);
  }

  /** Of an address with more than its share, ends those that had their time: the silent first. */
  function trim(address: string): void {
    const late = before(address, ARRIVAL_MS);
    const tooMany = Math.max(0, (addresses.get(address)?.size ?? 0) - MAX_OF_ADDRESS);
    const inTurn = [...late.filter(isSilent), ...late.filter((one) => !isSilent(one))];
    for (const socket of inTurn.slice(0, tooMany)) end(address, socket);
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
      if ((addresses.get(address)?.size ?? 0) >= MAX_ARRIVING) endOne(address);
      if (count >= MAX_STRANGERS) endOne(fullest());
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

const isSilent = ({ bytesRead }: Socket): boolean => bytesRead === 0;
