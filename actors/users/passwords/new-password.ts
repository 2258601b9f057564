/** Rules for a password that somebody chooses. Its length is counted in code points. */
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import { badRequest } from "../../errors.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import { passwordRulesOf } from "../log-ins/policy.ts";
import { isBreached } from "./breached-passwords.ts";

/** Made once, as its dictionaries take 50 ms, and not by a start, which need not wait for them. */
let memo: ZxcvbnFactory | undefined;

/** Has it made before somebody chooses a password, who would wait for it together with everybody else. */
export function prepareEstimates(): ZxcvbnFactory {
  memo ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return memo;
}

/**
 * Characters that are estimated. The estimate takes up to 20 ms for so many, and more than a second for a hundred that
 * can be read in many ways. They are enough: most texts that take ten thousand guesses are shorter.
 */
const estimatedLength = 12;
/** A shorter part of a name or an address says nothing about whose it is. */
const shortestWord = 3;
/** Names and addresses may be long, and the estimate compares with each of their words. */
const maxWords = 20;

/** What a password has to be. */
export interface PasswordRules {
  /** Names and addresses that others guess first. */
  about: readonly string[];
  /** Code points. */
  minLength: number;
  /** Guesses that it withstands, by the estimate. */
  minGuesses: number;
}

/** Where no organization has decided anything. */
const ordinary: PasswordRules = { about: [], minLength: limits.passwordMin, minGuesses: limits.passwordMinGuesses };

/** The rules of an organization for somebody's password, which is not made of their names and addresses, or its own. */
export function passwordRules(state: RealmState, person: { email: string; fullName: string }): PasswordRules {
  return { about: [person.email, person.fullName, state.row.name, state.host], ...passwordRulesOf(state) };
}

/** What is wrong with a password, in words that follow its name. Undefined: nothing. Takes some 40 ms at most. */
export function passwordFault(password: string, rules: Partial<PasswordRules> = {}): string | undefined {
  const { about, minLength, minGuesses } = { ...ordinary, ...rules };
  const characters = [...password];
  const { length } = characters;
  if (length < minLength || length > limits.passwordMax)
    return `must have from ${minLength} to ${limits.passwordMax} characters.`;
  const words = wordsOf(about);
  if (isBreached(password) || isGuessed(characters, words, minGuesses)) return "is too easy to guess.";
  const rest = withoutWords(password.toLowerCase(), words);
  if (rest.length < password.length && isGuessed([...rest], words, limits.passwordMinGuesses))
    return "is little more than your name or address, or the organization's.";
  return undefined;
}

/** A weak beginning may have a strong end. */
function isGuessed(characters: readonly string[], words: string[], minGuesses: number): boolean {
  const estimator = prepareEstimates();
  const isWeak = (part: readonly string[]) => estimator.check(part.join(""), words).guesses < minGuesses;
  return (
    isWeak(characters.slice(0, estimatedLength)) &&
    (characters.length <= estimatedLength || isWeak(characters.slice(-estimatedLength)))
  );
}

/** The texts and each of their words, the longest first. */
function wordsOf(about: readonly string[]): string[] {
  const texts = about.map((text) => text.toLowerCase());
  const words = texts.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  const distinct = new Set(words.filter((word) => word.length >= shortestWord && word.length <= limits.passwordMax));
  return [...distinct].sort((a, b) => b.length - a.length).slice(0, maxWords);
}

const withoutWords = (password: string, words: readonly string[]): string =>
  words.reduce((rest, word) => rest.replaceAll(word, ""), password);

/** Returns the password. @throws BAD_REQUEST for one that is too short, too long or too easy to guess */
export function checkNewPassword(password: string, rules: Partial<PasswordRules> = {}): string {
  const fault = passwordFault(password, rules);
  if (fault !== undefined) throw badRequest(`Password ${fault}`);
  return password;
}
