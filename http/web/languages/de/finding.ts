/** What the palette, the search and the filters of lists say in German. */
import type { findingWords as english } from "../en/finding.ts";
import type { Translated } from "../translated.ts";

export const findingWords: Translated<typeof english> = {
  skipToContent: "Zu den Nachrichten springen",
  reactionsToMe: "Erhaltene Reaktionen",
  palette: "Gehe zu …",
  paletteHint: "Themen, Personen, Kanäle und Befehle",
  paletteKinds: { topics: "Themen", people: "Personen", channels: "Kanäle", commands: "Befehle" },
  recentPlaces: "Zuletzt besucht",
  searchFor: (words) => `Nachrichten nach „${words}“ durchsuchen`,
  searchHere: (words, place) => `Nur in ${place} nach „${words}“ suchen`,
  onlyHere: (place) => `Nur in ${place} suchen`,
  weekAgo: "Vor einer Woche",
  monthAgo: "Vor 30 Tagen",
  yearAgo: "Vor einem Jahr",
  notADate: "Schreib das Datum als Jahr-Monat-Tag, etwa 2026-03-31.",
  filterConversations: "Nach Name filtern",
  filters: "Filter",
  noneLeft: "Keine Unterhaltung passt zu deinen Filtern.",
  clearFilters: "Filter zurücksetzen",
  unreadOnly: "Ungelesen",
  participated: "Beteiligt",
  withMuted: "Stummgeschaltete zeigen",
  mentionsOnly: "Erwähnungen",
  followedOnly: "Gefolgt",
  fold: (name) => `${name} einklappen`,
  unfold: (name) => `${name} ausklappen`,
  justNow: "Gerade eben",
};
