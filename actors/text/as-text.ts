/** Markdown that shows a text as it is: whatever is in it formats, links and mentions nothing. */
export const asText = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
