/** Escapes a text for Markdown, so that it is shown as it is: it formats, links and mentions nothing. */
export const asText = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, "\\$&");
