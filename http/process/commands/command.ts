/** A command of the command line, as its table says it. */
import type { OptionName } from "./options.ts";

export interface Command {
  /** What stands behind its name: what it works on in capitals, then options. What may lack is in square brackets. */
  usage: string;
  /** One sentence. */
  does: string;
  /** About no one organization: it takes no `--realm`, and works on the first database or on all. */
  isOfServer?: true;
  /** Of its options, where they say something else than elsewhere. */
  words?: Partial<Record<OptionName, string>>;
  /** What may stand behind its name. */
  example?: string;
}
