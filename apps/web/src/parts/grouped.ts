/** A message with the thousands of its numbers grouped. What stands in quotes, or is part of a name, stays as it was typed. */
export const grouped = (message: string): string =>
  message.replaceAll(/(?<![\p{L}\p{N}_.,:/“"'#])\d{5,}(?![\p{L}\p{N}_”"']|,\d)/gu, (digits) =>
    digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ","),
  );
