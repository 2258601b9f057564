/** Values that clients cannot learn from events. */

/**
 * Reasons why a client cannot compute a value after certain events. Such a value is not compared until an event sets
 * it.
 */
export const UNKNOWABLE_REASONS = {
  newestMessageDeleted: "delete_message does not say which message is now the newest one",
  newestDirectMessageDeleted: "delete_message does not say which message is now the newest one of the conversation",
  earlierSubscription: "stream/create does not say whether the caller was once subscribed, nor with which settings",
  botsOfAdministrators: "realm_user/update of the caller's role does not say which bots the caller now manages",
} as const;

const MARK = "(unknowable: ";

/** A placeholder for a value that no event tells. In `diffStates` it equals anything, even absence. */
export function unknowable(reason: keyof typeof UNKNOWABLE_REASONS): string {
  return `${MARK}${UNKNOWABLE_REASONS[reason]})`;
}

/** Whether `value` was made by `unknowable`. */
export function isUnknowable(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(MARK);
}
