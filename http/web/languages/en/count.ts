/** Counts in English, which has two forms. Other languages count by `counting`. */
import { number } from "../formats.ts";

export const formOf = (n: number, one: string, other: string): string => (n === 1 ? one : other);
export const count = (n: number, one: string, other: string): string => `${number(n)} ${formOf(n, one, other)}`;
