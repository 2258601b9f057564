/** What emails and notifications say in German. */
import type { Translated } from "../../text/languages.ts";
import type { words as english } from "./en.ts";

export const words: Translated<typeof english> = {
  invitationSubject: (name, realm) => `${name} lädt dich zu ${realm} ein`,
  invitation: (name, email, realm) =>
    `${name} (${email}) lädt dich zu ${realm} ein, wo die Personen einer Organisation chatten.`,
  join: "Beitreten",
  invitationUntil: (time) => `Die Einladung gilt bis ${time}.`,
  unexpected: "Falls du das nicht erwartet hast, tu nichts: Ein Konto entsteht nur, wenn du es erstellst.",
  joinSubject: (realm) => `${realm} beitreten`,
  joinAsked: (realm) =>
    `Jemand, vermutlich du, möchte ${realm} mit dieser Adresse beitreten. Erstelle hier innerhalb eines Tages dein Konto:`,
  joinOnce:
    "Der Link gilt einmal. Wenn du schon ein Konto hast, melde dich damit an. Falls du das nicht warst, tu nichts.",
  makeAccount: "Konto erstellen",
  welcomeSubject: (realm) => `Willkommen bei ${realm}`,
  welcome: (realm, email) => `Du hast jetzt ein Konto bei ${realm}, unter ${email}.`,
  confirmWelcome: "Bestätige, dass diese Adresse dir gehört, damit du darüber erreichbar bist.",
  open: (realm) => `${realm} öffnen`,
  applications: (url) =>
    `Auch Apps für Zulip funktionieren: Gib ihnen die Adresse ${url} und melde dich mit deiner E-Mail-Adresse an.`,
  notYours:
    "Falls du das nicht warst, hat jemand deine Adresse angegeben: Tu nichts, dann wird dir nichts weiter gesendet.",
  passwordSubject: (realm) => `Ein neues Passwort für ${realm}`,
  passwordAsked: (realm) =>
    `Jemand, vermutlich du, hat ein neues Passwort für dein Konto bei ${realm} angefordert. Wähle es hier innerhalb eines Tages:`,
  passwordAskedBy: (name, realm) =>
    `${name} aus der Administration hat ein neues Passwort für dein Konto bei ${realm} angefordert. Wähle es hier innerhalb eines Tages:`,
  passwordOnce: "Der Link gilt einmal. Wenn du ihn nicht brauchst, tu nichts: Dein Passwort bleibt, wie es ist.",
  choosePassword: "Neues Passwort wählen",
  accountSubject: (realm) => `Dein Konto bei ${realm}`,
  accountMade: (realm) =>
    `Für dich wurde ein Konto bei ${realm} erstellt, wo die Personen einer Organisation chatten. Wähle hier ein Passwort:`,
  accountOnce: (url, email) =>
    `Der Link gilt einmal, innerhalb eines Tages. Später kannst du auf ${url} mit „Passwort vergessen?“ einen neuen anfordern. Du meldest dich mit ${email} an.`,
  accountApplications: (url) => `Auch Apps für Zulip funktionieren: Gib ihnen die Adresse ${url}.`,
  knowNobody: "Falls du dort niemanden kennst, tu nichts.",
  deactivatedSubject: (realm) => `Dein Konto bei ${realm} wurde deaktiviert`,
  deactivated: (name, realm) => `${name} hat dein Konto bei ${realm} deaktiviert. Du bist überall abgemeldet.`,
  says: (name, comment) => `${name} schreibt:\n${comment}`,
  askIfMistake: "Falls das ein Irrtum ist, frag die Administration deiner Organisation.",
  passwordChangedSubject: (realm) => `Dein Passwort für ${realm} wurde geändert`,
  passwordChanged: (realm) =>
    `Dein Konto bei ${realm} hat ein neues Passwort. Es wurde über einen Link gewählt, der an diese Adresse gesendet wurde.`,
  loggedOutAll:
    "Alle Browser wurden abgemeldet. Falls du das nicht warst, bitte sofort die Administration deiner Organisation um Hilfe.",
  notYou: "Falls du das nicht warst, bitte sofort die Administration deiner Organisation um Hilfe.",
  factorOnSubject: (realm) => `Dein zweiter Faktor für ${realm} ist eingeschaltet`,
  factorOffSubject: (realm) => `Dein zweiter Faktor für ${realm} ist abgeschaltet`,
  factorOn: (realm) => `Zum Anmelden bei ${realm} brauchst du ab jetzt neben dem Passwort einen Code.`,
  factorOff: (realm) => `Zum Anmelden bei ${realm} genügt wieder dein Passwort.`,
  logInSubject: (realm) => `Deine Anmeldung bei ${realm} hat sich geändert`,
  totpAdded: "Deinem Konto wurde eine Authenticator-App hinzugefügt.",
  totpRemoved: "Eine Authenticator-App wurde aus deinem Konto entfernt.",
  passkeyAdded: (name) => `Deinem Konto wurde der Passkey „${name}“ hinzugefügt.`,
  passkeyRemoved: (name) => `Der Passkey „${name}“ wurde aus deinem Konto entfernt.`,
  passkeyBlocked: (name) =>
    `Der Passkey „${name}“ deines Kontos ist gesperrt. Jemand hat eine Kopie davon verwendet: Melde dich anders an und entferne ihn.`,
  confirmAddressSubject: (realm) => `Bestätige deine neue Adresse für ${realm}`,
  confirmAddress: (name, realm) => `${name} möchte diese Adresse für das Konto bei ${realm}. Wenn du das bist:`,
  confirmOnce: "Der Link gilt einmal, innerhalb eines Tages. Falls du es nicht bist, tu nichts.",
  confirmButton: "Adresse bestätigen",
  addressAskedSubject: (realm) => `Deine Adresse für ${realm} soll sich ändern`,
  addressAsked: (realm, email) =>
    `Jemand, der als du angemeldet ist, möchte für dein Konto bei ${realm} die Adresse ${email}.`,
  addressAskedHint:
    "Sie ändert sich, sobald die neue bestätigt ist. Falls du das nicht warst, ändere sofort dein Passwort.",
  addressChangedSubject: (realm) => `Deine Adresse für ${realm} wurde geändert`,
  addressChanged: (realm, from, to) =>
    `Dein Konto bei ${realm} hatte die Adresse ${from} und hat jetzt ${to}. Melde dich mit dieser an.`,
  identitySubject: (provider, realm) => `${provider} mit deinem Konto bei ${realm} verknüpfen`,
  identity: (provider, realm) =>
    `Jemand, vermutlich du, möchte sich über ${provider} bei deinem Konto bei ${realm} anmelden. Erlaube es hier innerhalb eines Tages:`,
  identityOnce: "Der Link gilt einmal. Falls du das nicht warst, tu nichts: Niemand kommt in dein Konto.",
  linkIdentity: "Mit meinem Konto verknüpfen",
  linkedSubject: (provider, realm) => `Du meldest dich über ${provider} bei ${realm} an`,
  linked: (provider, realm) =>
    `Dein Konto bei ${realm} ist mit einer Anmeldung bei ${provider} verknüpft: Wer diese hat, kommt hinein.`,
  deviceSubject: (realm) => `Eine neue Anmeldung bei ${realm}`,
  device: (realm) => `Bei deinem Konto bei ${realm} hat sich etwas angemeldet, das dafür noch nicht verwendet wurde.`,
  deviceDetails: (time, program, address) => `Wann: ${time}\nWomit: ${program}\nVon: ${address}`,
  programOn: (program, system) => `${program} unter ${system}`,
  unknownProgram: "einem unbekannten Programm",
  deviceHint: "Wenn du das warst, ist alles gut. Sonst ändere sofort dein Passwort: Das meldet alle anderen ab.",
  unsubscribe: "Keine solchen E-Mails mehr",
  missedOne: "Du hast eine Nachricht verpasst",
  missed: (n) => `Du hast ${n} Nachrichten verpasst`,
  notSent: "Der Inhalt von Nachrichten wird nicht per E-Mail gesendet.",
  olderOnes: (n) => `Ältere Nachrichten, die hier nicht gezeigt werden: ${n}.`,
  noAnswers: "Antworten auf diese E-Mail liest niemand: Schreib in der Unterhaltung.",
  answers: "Was du von dieser Adresse aus auf diese E-Mail antwortest, erscheint in der Unterhaltung.",
  andOthers: (names) => `${names} und andere`,
  spoiler: "(eine Nachricht mit Spoiler)",
  unknownUser: "Unbekannte Person",
  directMessages: (names) => `Direktnachrichten mit ${names}`,
  andMore: (names, n) => `${names} und ${n} weiteren`,
  digestSubject: (realm) => `Was du bei ${realm} verpasst hast`,
  digestMore: (n) => `Weitere Unterhaltungen mit Neuem: ${n}`,
  digestHidden: (conversations) => `Es gibt Neues in ${conversations} deiner Kanäle.`,
  digestBy: (messages, people) => `${messages} von ${people}`,
  digestFooter: "Du bekommst dies einmal in der Woche, solange du nicht da bist.",
  oneConversation: "einer Unterhaltung",
  conversations: (n) => `${n} Unterhaltungen`,
  oneMessage: "eine Nachricht",
  messages: (n) => `${n} Nachrichten`,
  onePerson: "einer Person",
  people: (n) => `${n} Personen`,
  newMessage: "Neue Nachricht",
  newDirectMessage: "Neue Direktnachricht",
};
