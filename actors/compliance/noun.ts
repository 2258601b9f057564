import { defineNoun } from "../realm/noun.ts";
import { addLegalHold, endLegalHold } from "./holds.ts";

export const complianceNoun = defineNoun({ commands: { addLegalHold, endLegalHold } });
