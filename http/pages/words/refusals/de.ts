/** What pages say of refusals in German. */
import type { Refusals } from "./en.ts";

export const refusals: Refusals = {
  notFromSite: "Dieses Formular wurde nicht von dieser Website gesendet.",
  wrongPassword: "Benutzername oder Passwort ist falsch.",
  deactivated: "Das Konto ist deaktiviert.",
  otherNetwork: "Deine Organisation lässt nur aus ihren eigenen Netzen herein.",
  sendsNoEmail: "Dieser Server sendet keine E-Mails. Bitte die Betreiber um Hilfe.",
  tookTooLong: "Das hat zu lange gedauert, oder etwas hat sich geändert: Melde dich noch einmal an.",
  tookTooLongOrDone: "Das hat zu lange gedauert oder ist schon geschehen. Bitte melde dich noch einmal an.",
  linkIsOver: "Dieser Link ist nicht mehr gültig.",
  invitationIsOver: "Diese Einladung ist nicht mehr gültig.",
  confirmFirst: "Bestätige zuerst deine Adresse.",
  passwordLength: (least, most) => `Das Passwort muss ${least} bis ${most} Zeichen haben.`,
  passwordEasy: "Das Passwort ist zu leicht zu erraten.",
  passwordNames: "Das Passwort ist kaum mehr als dein Name, deine Adresse oder der Name der Organisation.",
  nameShort: "Der Name ist zu kurz.",
  nameLong: "Der Name ist zu lang.",
  nameCharacters: "Der Name enthält unzulässige Zeichen.",
  nameFormat: "Diese Form des Namens ist nicht zulässig.",
  nameTaken: "In dieser Organisation darf es jeden Namen nur einmal geben.",
  addressInvalid: "Diese Adresse ist ungültig.",
  addressInUse: (email) => `Die Adresse ${email} wird schon verwendet.`,
  addressPlus: "Adressen mit + sind nicht erlaubt.",
  addressDomain: (domain) => `Die Domain deiner Adresse, ${domain}, ist in dieser Organisation nicht erlaubt.`,
  addressDisposable: "Bitte verwende deine richtige E-Mail-Adresse.",
  addressUnconfirmed:
    "Diese Organisation lässt nur Adressen bestimmter Domains zu, und dieser Server sendet keine E-Mail, um deine zu bestätigen. Bitte die Administration, deine Adresse einzuladen.",
  wrongCode: "Dieser Code ist falsch oder wurde schon verwendet.",
  otherCode: "Das ist nicht der Code, den deine App jetzt anzeigt.",
  nothingSetUp: "Es wird nichts eingerichtet: Beginne von vorn.",
  challengeOver: "Diese Abfrage ist abgelaufen oder wurde schon verwendet: Beginne von vorn.",
  otherPasskey: "Das ist nicht die Antwort eines deiner Passkeys.",
  passkeyRegistered: "Dieser Passkey ist schon registriert.",
  passkeyBlocked:
    "Dieser Passkey ist gesperrt: Anscheinend hat jemand eine Kopie. Melde dich anders an und entferne ihn.",
  noProvider: "Über diesen Anbieter meldet sich hier niemand an.",
  staleLogIn: (provider) =>
    `Diese Anmeldung über ${provider} hat nicht hier begonnen oder ist vorbei. Bitte beginne von vorn.`,
  notLoggedIn: (provider, reason) => `${provider} hat dich nicht angemeldet: ${reason}.`,
  invalidAnswer: (provider) =>
    `Die Antwort von ${provider} ist ungültig, daher bist du nicht angemeldet. Versuche es noch einmal, oder sag den Betreibern Bescheid.`,
  didNotSay: (provider) => `${provider} hat nicht gesagt, wer du bist.`,
  unavailable: (provider, reason) =>
    `${provider} kann gerade nicht gefragt werden: ${reason}. Melde dich anders oder später an.`,
  notLinked: "Du hast hier kein Konto, das mit dieser Anmeldung verknüpft ist.",
  nobodyWaits: "Niemand wartet auf diese Verknüpfung.",
  linkedAlready: "Diese Anmeldung ist schon mit einem Konto verknüpft.",
  nobodyToMail: "Es gibt niemanden, dem ein Link gesendet werden kann.",
  callElsewhere: "Dieser Link zu einem Anruf stammt nicht von hier.",
  callStale: (service) => `Das hat nicht hier begonnen. Bitte starte noch einmal einen Anruf über ${service}.`,
  noService: (service) => `${service} ist nicht eingerichtet.`,
};
