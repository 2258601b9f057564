/** Texts that are the same in English and in another language: loanwords, and words that happen to be spelled alike. */
import type { Language } from "../../../../http/web/languages/languages.ts";

/** Everywhere. */
const signs = ["Esc"];
const keys = ["Ctrl", "End", "Home"];

export const sameWords: Readonly<Record<Exclude<Language, "en">, ReadonlySet<string>>> = {
  de: new Set([
    ...signs,
    ..."Online,Offline,Spoiler,Link,Code,Emoji,Status,Bots,Administrator,Moderator,Domain,Passkeys,Name,Logo".split(
      ",",
    ),
    "Webhooks",
  ]),
  fr: new Set(
    "Ctrl,Date,Mentions,Message,Messages,Webhooks,Description,Site,Logo,Menu,Note,Spoiler,Image,Code,Question,Participants,Notifications,Sessions,Invitations".split(
      ",",
    ),
  ),
  es: new Set([...signs, ..."Ctrl,Spoiler,Emoji,bot,Bots,General,Webhooks".split(",")]),
  ja: new Set([...signs, ...keys]),
  "zh-hans": new Set([...signs, ...keys]),
  ar: new Set([...signs, ...keys, "Webhooks"]),
};
