/** What settings offer to choose from, in English. */
import { byKey } from "../translated.ts";

export const choices = {
  colorScheme: "Colours",
  highContrast: "High contrast",
  schemes: { 1: "As the system", 2: "Dark", 3: "Light" },
  fontSize: "Text size",
  density: "Density of messages",
  densities: byKey({ compact: "Compact", usual: "Usual", roomy: "Roomy" }),
  atAnyTime: "At any time",
  listStyle: "List of people",
  listStyles: byKey({
    1: "Names alone",
    2: "With pictures",
    3: "With pictures and status",
  }),
  markingRead: "Messages I see are marked as read",
  markingReads: { 1: "Always", 2: "Only in conversations", 3: "Never" },
  animation: "Animated pictures move",
  animations: { always: "Always", on_hover: "Under the mouse pointer", never: "Only when opened" },
  inactiveLast: "List inactive channels last",
  inactiveLastChoices: { 1: "When I am in many channels", 2: "Always", 3: "Never" },
  emojiset: "Emoji in messages",
  emojisets: byKey({
    google: "As pictures",
    text: "By name, such as :tada:",
  }),
  gifRating: "GIFs that people find here",
  gifRatings: {
    0: "None",
    1: "Rated G: for everybody",
    2: "Up to PG: children with parents",
    3: "Up to PG-13: from 13 years",
    4: "Up to R: for adults",
  },
  fieldKinds: byKey({
    1: "Short text",
    2: "Long text",
    3: "List of choices",
    4: "Date",
    5: "Link",
    6: "People",
    7: "Account elsewhere",
    8: "Pronouns",
  }),
};
