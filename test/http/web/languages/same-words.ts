/** Texts that are the same in English and in another language: loanwords, and words that happen to be spelled alike. */
import type { Language } from "../../../../http/web/languages/languages.ts";

/** Everywhere. */
const signs = ["Esc"];

export const sameWords: Readonly<Record<Exclude<Language, "en">, ReadonlySet<string>>> = {
  de: new Set([
    ...signs,
    ..."Online,Offline,Spoiler,Link,Code,Emoji,Status,Bots,Administrator,Moderator,Domain,Passkeys,Name,Logo".split(
      ",",
    ),
    "Webhooks",
  ]),
  fr: new Set(
    "Mentions,Message,Messages,Webhooks,Description,Site,Logo,Menu,Note,Spoiler,Image,Code,Question,Participants,Notifications,Sessions,Invitations".split(
      ",",
    ),
  ),
  es: new Set([...signs, ..."Spoiler,Emoji,bot,Bots,General,Webhooks".split(",")]),
  ja: new Set(signs),
  "zh-hans": new Set(signs),
  ar: new Set([...signs, "Webhooks"]),
};
