/** Texts that are the same in English and in another language: loanwords, and words that happen to be spelled alike. */
import type { Language } from "../../../../http/web/languages/languages.ts";

/** Everywhere. */
const signs = ["Esc"];

export const sameWords: Readonly<Record<Exclude<Language, "en">, ReadonlySet<string>>> = {
  de: new Set([
    ...signs,
    ..."Online,Offline,Spoiler,Link,Code,Emoji,Status,Bots,Administrator,Moderator,Domain,Passkeys,Name,Logo,Webhooks".split(
      ",",
    ),
  ]),
};
