/** What settings offer to choose from, in French. */
import type { choices as english } from "../en/choices.ts";
import type { Translated } from "../translated.ts";

export const choices: Translated<typeof english> = {
  colorScheme: "Couleurs",
  highContrast: "Contraste élevé",
  schemes: { 1: "Comme le système", 2: "Sombre", 3: "Clair" },
  fontSize: "Taille du texte",
  density: "Espacement des messages",
  densities: { compact: "Serré", usual: "Normal", roomy: "Aéré" },
  atAnyTime: "À tout moment",
  listStyle: "Liste des personnes",
  listStyles: {
    1: "Noms seuls",
    2: "Avec les photos",
    3: "Avec les photos et les statuts",
  },
  markingRead: "Marquer comme lus les messages affichés",
  markingReads: { 1: "Toujours", 2: "Uniquement dans les conversations", 3: "Jamais" },
  animation: "Les images animées bougent",
  animations: { always: "Toujours", on_hover: "Au survol de la souris", never: "Seulement une fois ouvertes" },
  inactiveLast: "Canaux inactifs en fin de liste",
  inactiveLastChoices: { 1: "Si je suis dans beaucoup de canaux", 2: "Toujours", 3: "Jamais" },
  emojiset: "Émojis dans les messages",
  emojisets: {
    google: "En images",
    text: "Par leur nom, comme :tada:",
  },
  gifRating: "GIF que l’on trouve ici",
  gifRatings: {
    0: "Aucun",
    1: "Classés G : tout public",
    2: "Jusqu’à PG : enfants accompagnés",
    3: "Jusqu’à PG-13 : dès 13 ans",
    4: "Jusqu’à R : pour adultes",
  },
  fieldKinds: {
    1: "Texte court",
    2: "Texte long",
    3: "Liste de choix",
    4: "Date",
    5: "Lien",
    6: "Personnes",
    7: "Compte externe",
    8: "Pronoms",
  },
};
