/** Values that no event tells. */

/**
 * What a client cannot work out from certain events; the value is then compared with nothing until an event settles it.
 */
export const UNKNOWABLE_REASONS = {
  newestMessageDeleted: "delete_message does not say which message is now the newest one",
  newestDirectMessageDeleted: "delete_message does not say which message is now the newest one of the conversation",
  earlierSubscription: "stream/create does not say whether the caller was once subscribed, nor with which settings",
  botsOfAdministrators: "realm_user/update of the caller's role does not say which bots the caller now manages",
} as const;

const MARK = "(unknowable: ";

/** A value standing for one that no event tells. `diffStates` takes it to equal anything, absence included. */
export function unknowable(reason: keyof typeof UNKNOWABLE_REASONS): string {
  return `${MARK}${UNKNOWABLE_REASONS[reason]})`;
}

/** Whether `value` was made by `unknowable`. */
export function isUnknowable(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(MARK);
}
