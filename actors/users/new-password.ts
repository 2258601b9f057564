/** Rules for a password that somebody chooses. Its length is counted in code points. */
import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import { badRequest } from "../errors.ts";
import { limits } from "../organization/settings.ts";

const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/**
 * Characters that are estimated. The estimate takes up to 20 ms for so many, and more than a second for a hundred that
 * can be read in many ways. They are enough: most texts that take ten thousand guesses are shorter.
 */
const estimatedLength = 12;

/** What is wrong with a password, in words that follow its name. Undefined: nothing. Takes some 20 ms at most. */
export function passwordFault(password: string): string | undefined {
  const characters = [...password];
  const { length } = characters;
  if (length < limits.passwordMin || length > limits.passwordMax)
    return `must have from ${limits.passwordMin} to ${limits.passwordMax} characters.`;
  const isWeak = (part: string[]) => estimator.check(part.join("")).guesses < limits.passwordMinGuesses;
  // A weak beginning may have a strong end.
  const isGuessed =
    isWeak(characters.slice(0, estimatedLength)) &&
    (length <= estimatedLength || isWeak(characters.slice(-estimatedLength)));
  return isGuessed ? "is too easy to guess." : undefined;
}

/** Returns the password. @throws BAD_REQUEST for one that is too short, too long or too easy to guess */
export function checkNewPassword(password: string): string {
  const fault = passwordFault(password);
  if (fault !== undefined) throw badRequest(`Password ${fault}`);
  return password;
}
