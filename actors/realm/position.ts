import type { LogPosition } from "../../storage/ids.ts";
import { command } from "./command.ts";

/** The newest position that any client can have been told. Only a writer that nobody has replaced answers it. */
export const tellPosition = command<Record<string, never>, LogPosition>((tx) => tx.state.position);
