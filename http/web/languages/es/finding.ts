/** What the palette, the search and the filters of lists say in Spanish. */
import type { findingWords as english } from "../en/finding.ts";
import type { Translated } from "../translated.ts";

export const findingWords: Translated<typeof english> = {
  skipToContent: "Saltar a los mensajes",
  reactionsToMe: "Reacciones a tus mensajes",
  palette: "Ir a…",
  paletteHint: "Temas, personas, canales y comandos",
  paletteKinds: { topics: "Temas", people: "Personas", channels: "Canales", commands: "Comandos" },
  recentPlaces: "Lugares recientes",
  searchFor: (words) => `Buscar «${words}» en los mensajes`,
  searchHere: (words, place) => `Buscar «${words}» solo en ${place}`,
  onlyHere: (place) => `Buscar solo en ${place}`,
  weekAgo: "Hace una semana",
  monthAgo: "Hace 30 días",
  yearAgo: "Hace un año",
  notADate: "Escribe la fecha como año-mes-día, por ejemplo 2026-03-31.",
  filterConversations: "Filtrar por nombre",
  filters: "Filtros",
  noneLeft: "Ninguna conversación coincide con tus filtros.",
  clearFilters: "Quitar filtros",
  unreadOnly: "Sin leer",
  participated: "Con tu participación",
  withMuted: "Mostrar silenciados",
  mentionsOnly: "Menciones",
  followedOnly: "Seguidos",
  fold: (name) => `Contraer ${name}`,
  unfold: (name) => `Expandir ${name}`,
  justNow: "Ahora mismo",
};
