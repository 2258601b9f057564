import { defineNoun } from "../realm/noun.ts";
import { rebuildSearch, rebuildSearchJob } from "./rebuild.ts";

export const searchNoun = defineNoun({ commands: { rebuildSearch }, jobs: [rebuildSearchJob] });
