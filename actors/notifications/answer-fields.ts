/** Fields of what a relay or a push notification service answered, which may be anything. */

export const fieldOf = (answer: unknown, name: string): unknown =>
  typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : undefined;
const itemsIn = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
export const numbersIn = (list: unknown): number[] => itemsIn(list).filter((item) => typeof item === "number");
export const textsIn = (list: unknown): string[] => itemsIn(list).filter((item) => typeof item === "string");
