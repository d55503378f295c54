/** A count with its noun, without grouping of thousands: "1 row", "2000 rows". */
export const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
