/** Fields of what a relay or a push notification service answered, which may be anything. */

import { hasFields } from "../text/json-object.ts";

export const fieldOf = (answer: unknown, name: string): unknown => (hasFields(answer) ? answer[name] : undefined);
const itemsIn = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
export const numbersIn = (list: unknown): number[] => itemsIn(list).filter((item) => typeof item === "number");
export const textsIn = (list: unknown): string[] => itemsIn(list).filter((item) => typeof item === "string");
