/** What the organization's bots say in German. */
import type { BotWords } from "./en.ts";

export const words: BotWords = {
  channelEvents: "Kanal-Ereignisse",
  newChannels: "neue Kanäle",
  webPublic: "Im Web öffentlich",
  public: "Öffentlich",
  privateShared: "Privat, geteilter Verlauf",
  privateProtected: "Privat, geschützter Verlauf",
  openedChannel: (by, channel) => `${by} hat einen neuen Kanal eröffnet: ${channel}.`,
  createdChannel: (privacy, by) => `Kanal (**${privacy}**) erstellt von ${by}. **Beschreibung:**`,
  noDescription: "Keine Beschreibung.",
  wasEmpty: "(keine Beschreibung)",
  renamedChannel: (by, from, to) => `${by} hat diesen Kanal von ${from} in ${to} umbenannt.`,
  changedDescription: (by, before, now) =>
    `${by} hat die Beschreibung dieses Kanals geändert.\n\nVorher:\n${before}\n\nJetzt:\n${now}`,
  changedPrivacy: (by, before, now) =>
    `${by} hat geändert, wer diesen Kanal sehen darf: vorher **${before}**, jetzt **${now}**.`,
  archived: (by) => `${by} hat diesen Kanal archiviert.`,
  unarchived: (by) => `${by} hat diesen Kanal aus dem Archiv zurückgeholt.`,
  resolved: (by) => `${by} hat dieses Thema als gelöst markiert.`,
  unresolved: (by) => `${by} hat dieses Thema als ungelöst markiert.`,
  topicCame: (from, by) => `Dieses Thema wurde von ${by} aus ${from} hierher verschoben.`,
  messageCame: (from, by) => `Eine Nachricht wurde von ${by} aus ${from} hierher verschoben.`,
  messagesCame: (n, from, by) => `${n} Nachrichten wurden von ${by} aus ${from} hierher verschoben.`,
  topicWent: (to, by) => `Dieses Thema wurde von ${by} nach ${to} verschoben.`,
  messageWent: (to, by) => `Eine Nachricht wurde von ${by} aus diesem Thema nach ${to} verschoben.`,
  messagesWent: (n, to, by) => `${n} Nachrichten wurden von ${by} aus diesem Thema nach ${to} verschoben.`,
  addedYou: (by, channel) => `${by} hat dich zum Kanal ${channel} hinzugefügt.`,
  addedYouToMany: (by) => `${by} hat dich zu diesen Kanälen hinzugefügt:`,
  remindsOf: (what) => `Du wolltest erinnert werden an: ${what}.`,
  remindsOfNothing:
    "Du wolltest an eine Nachricht erinnert werden, die gelöscht wurde oder die du nicht mehr lesen kannst.",
  directMessageBy: (sender) => `eine Direktnachricht von ${sender}`,
  note: "Notiz:",
  yourNote: "Deine Notiz:",
  wrote: (sender) => `${sender} schrieb:`,
  requestsAbout: (name) => `Meldungen zu ${name}`,
  reported: (by, what, sender) => `${by} hat ${what} gemeldet, gesendet von ${sender}.`,
  reason: (reason) => `Grund: **${reason}**`,
  notes: "Anmerkungen:",
  spam: "Spam",
  harassment: "Belästigung",
  inappropriate: "Unangemessener Inhalt",
  norms: "Verstößt gegen Regeln der Gemeinschaft",
  other: "Anderer Grund",
  noteToOneself: "eine Notiz an sich selbst",
  directMessageTo: (names) => `eine Direktnachricht an ${names}`,
  directMessageToThem: "eine Direktnachricht an die meldende Person",
  directMessageToThemAnd: (names) => `eine Direktnachricht an die meldende Person und ${names}`,
  botFailed: (bot, reason) =>
    `Dein Bot **${bot}** hat eine Nachricht nicht angenommen: ${reason}. Was in den nächsten zehn Minuten misslingt, erfährst du nicht.`,
  notSent: (by, time, reason) =>
    `${by}, die Nachricht, die du für ${time} geplant hast, konnte nicht gesendet werden: ${reason}`,
  infected: (name, finding) =>
    `Die Datei \`${name}\`, die du hochgeladen hast, ist infiziert (\`${finding}\`) und wurde gelöscht. Niemand konnte sie öffnen.`,
  accepted: (name) => `**${name}** hat deine Einladung in die Organisation angenommen.`,
  welcome: (realm) => `Willkommen bei **${realm}**! :wave:`,
  aboutTopics:
    "Unterhaltungen finden in **Kanälen** statt, und jede Nachricht dort hat ein **Thema**: Folge dem, was dich angeht, und lass den Rest.",
  sayHello: (channel) => `Sag Hallo in ${channel}, unter einem eigenen Thema oder einem, das es schon gibt.`,
  ownersInvite: "Dir gehört diese Organisation: Im Menü hinter deinem Bild kannst du Links für andere erstellen.",
  ownersSettings: "Die Einstellungen hinter demselben Bild enthalten ihren Namen, ihre Kanäle und wer was darf.",
  tryOut:
    "Dies ist eine **Direktnachricht**, die nur wir beide lesen: Probiere hier aus, wie Nachrichten aussehen. Ich antworte nicht.",
};
