import { command } from "./command.ts";

/** The newest position that anybody can have been told, as a writer that nobody has replaced knows it. */
export const tellPosition = command<Record<string, never>, number>((tx) => tx.state.position);
