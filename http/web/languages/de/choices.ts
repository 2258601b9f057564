/** What settings offer to choose from, in German. */
import type { choices as english } from "../en/choices.ts";
import type { Translated } from "../translated.ts";

export const choices: Translated<typeof english> = {
  colorScheme: "Farben",
  highContrast: "Hoher Kontrast",
  schemes: { 1: "Wie das System", 2: "Dunkel", 3: "Hell" },
  fontSize: "Textgröße",
  density: "Abstand der Nachrichten",
  densities: { compact: "Eng", usual: "Normal", roomy: "Weit" },
  atAnyTime: "Jederzeit",
  listStyle: "Personenliste",
  listStyles: {
    1: "Nur Namen",
    2: "Mit Bildern",
    3: "Mit Bildern und Status",
  },
  markingRead: "Gesehene Nachrichten als gelesen markieren",
  markingReads: { 1: "Immer", 2: "Nur in Unterhaltungen", 3: "Nie" },
  animation: "Animierte Bilder bewegen sich",
  animations: { always: "Immer", on_hover: "Unter dem Mauszeiger", never: "Nur wenn geöffnet" },
  inactiveLast: "Ruhige Kanäle zuletzt auflisten",
  inactiveLastChoices: { 1: "Wenn ich in vielen Kanälen bin", 2: "Immer", 3: "Nie" },
  emojiset: "Emojis in Nachrichten",
  emojisets: {
    google: "Als Bilder",
    text: "Mit Namen, etwa :tada:",
  },
  gifRating: "GIFs, die man hier findet",
  gifRatings: {
    0: "Keine",
    1: "Mit G bewertet: für alle",
    2: "Bis PG: Kinder in Begleitung",
    3: "Bis PG-13: ab 13 Jahren",
    4: "Bis R: für Erwachsene",
  },
  fieldKinds: {
    1: "Kurzer Text",
    2: "Langer Text",
    3: "Auswahlliste",
    4: "Datum",
    5: "Link",
    6: "Personen",
    7: "Konto anderswo",
    8: "Pronomen",
  },
};
