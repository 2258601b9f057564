/** The version of Zulip whose API this server claims to have. */
export const version = "12.0";
export const featureLevel = 496;
export const mergeBase = "12.0";
