/** What a password may be that somebody chooses. How long it is, is counted in code points. */
import { badRequest } from "../errors.ts";
import { limits } from "../organization/settings.ts";

/** To be said after the password's name. */
export const passwordRule = `must have from ${limits.passwordMin} to ${limits.passwordMax} characters.`;

export function isPasswordAllowed(password: string): boolean {
  const { length } = [...password];
  return length >= limits.passwordMin && length <= limits.passwordMax;
}

/** Returns the password. @throws BAD_REQUEST for one that is too short or too long */
export function checkNewPassword(password: string): string {
  if (!isPasswordAllowed(password)) throw badRequest(`Password ${passwordRule}`);
  return password;
}
