import type { LogPosition } from "../../storage/ids.ts";
import { command } from "./command.ts";

/** The newest position that anybody can have been told, as a writer that nobody has replaced knows it. */
export const tellPosition = command<Record<string, never>, LogPosition>((tx) => tx.state.position);
