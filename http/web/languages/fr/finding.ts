/** What the palette, the search and the filters of lists say in French. */
import type { findingWords as english } from "../en/finding.ts";
import type { Translated } from "../translated.ts";

export const findingWords: Translated<typeof english> = {
  skipToContent: "Aller aux messages",
  reactionsToMe: "Réactions à vos messages",
  palette: "Aller à…",
  paletteHint: "Sujets, personnes, canaux et commandes",
  paletteKinds: { topics: "Sujets", people: "Personnes", channels: "Canaux", commands: "Commandes" },
  recentPlaces: "Lieux récents",
  searchFor: (words) => `Rechercher «\u00a0${words}\u00a0» dans les messages`,
  searchHere: (words, place) => `Rechercher «\u00a0${words}\u00a0» seulement dans ${place}`,
  onlyHere: (place) => `Rechercher seulement dans ${place}`,
  weekAgo: "Il y a une semaine",
  monthAgo: "Il y a 30 jours",
  yearAgo: "Il y a un an",
  notADate: "Écrivez la date sous la forme année-mois-jour, par exemple 2026-03-31.",
  filterConversations: "Filtrer par nom",
  filters: "Filtres",
  noneLeft: "Aucune conversation ne correspond à vos filtres.",
  clearFilters: "Effacer les filtres",
  unreadOnly: "Non lus",
  participated: "Participation",
  withMuted: "Afficher en sourdine",
  mentionsOnly: "Mentions",
  followedOnly: "Suivis",
  fold: (name) => `Replier ${name}`,
  unfold: (name) => `Déplier ${name}`,
  justNow: "À l’instant",
};
