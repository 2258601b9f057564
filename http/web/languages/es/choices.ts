/** What settings offer to choose from, in Spanish. */
import type { choices as english } from "../en/choices.ts";
import type { Translated } from "../translated.ts";

export const choices: Translated<typeof english> = {
  colorScheme: "Colores",
  highContrast: "Contraste alto",
  schemes: { 1: "Como el sistema", 2: "Oscuro", 3: "Claro" },
  fontSize: "Tamaño del texto",
  density: "Espaciado de los mensajes",
  densities: { compact: "Compacto", usual: "Normal", roomy: "Amplio" },
  atAnyTime: "En cualquier momento",
  listStyle: "Lista de personas",
  listStyles: {
    1: "Solo nombres",
    2: "Con fotos",
    3: "Con fotos y estado",
  },
  markingRead: "Marcar como leídos los mensajes que veo",
  markingReads: { 1: "Siempre", 2: "Solo en las conversaciones", 3: "Nunca" },
  animation: "Las imágenes animadas se mueven",
  animations: { always: "Siempre", on_hover: "Al pasar el ratón por encima", never: "Solo al abrirlas" },
  inactiveLast: "Canales inactivos al final de la lista",
  inactiveLastChoices: { 1: "Si estoy en muchos canales", 2: "Siempre", 3: "Nunca" },
  emojiset: "Emojis en los mensajes",
  emojisets: {
    google: "Como imágenes",
    text: "Por su nombre, como :tada:",
  },
  gifRating: "GIF que se encuentran aquí",
  gifRatings: {
    0: "Ninguno",
    1: "Clasificados G: para todos",
    2: "Hasta PG: niños acompañados",
    3: "Hasta PG-13: desde los 13 años",
    4: "Hasta R: para adultos",
  },
  fieldKinds: {
    1: "Texto corto",
    2: "Texto largo",
    3: "Lista de opciones",
    4: "Fecha",
    5: "Enlace",
    6: "Personas",
    7: "Cuenta externa",
    8: "Pronombres",
  },
};
