/** What this server says that it is. */
export const version = "12.0";
export const featureLevel = 496;
export const mergeBase = "12.0";
