import { defineNoun } from "../realm/noun.ts";
import { setCallToken } from "./tokens.ts";

export const callsNoun = defineNoun({
  commands: {
    setCallToken,
  },
});
