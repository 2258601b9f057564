/** The commands of the page, by key and for whoever may use them. The views make the table. */
import type { CommandGroupId, CommandId } from "../../languages/en/commands.ts";

export interface Command<App> {
  /** Its text is `t.commandTexts[id]`. */
  id: CommandId;
  /** As `KeyboardEvent.key` says, with `Ctrl+` or `Alt+` before. Those with Ctrl work in text fields, too. */
  keys: readonly string[];
  /** None where the text box itself listens to the keys. */
  run?(app: App): void;
  /** Whether somebody without an account has it: it only looks. */
  forReaders?: boolean;
  /** Whether the palette leaves it out: it takes a step, and makes sense by its key alone. */
  isStep?: boolean;
  /** Whether this person may use it, here. */
  isAllowed?(app: App): boolean;
}

export interface CommandGroup<App> {
  /** Its title is `t.commandGroups[id]`. */
  id: CommandGroupId;
  commands: readonly Command<App>[];
}

/** @template App what commands act on */
export class Commands<App extends { permissions: { isLoggedIn: boolean } }> {
  #groups: readonly CommandGroup<App>[] = [];
  #byKey: ReadonlyMap<string, Command<App>> = new Map();

  constructor(private readonly app: App) {}

  /** By subject, in the order of the list of keys. */
  get groups(): readonly CommandGroup<App>[] {
    return this.#groups;
  }

  set groups(groups: readonly CommandGroup<App>[]) {
    this.#groups = groups;
    const all = groups.flatMap(({ commands }) => commands);
    this.#byKey = new Map(all.flatMap((command) => command.keys.map((key) => [key, command])));
  }

  /** @param key with `Ctrl+` before when that is held */
  of(key: string): Command<App> | undefined {
    return this.#byKey.get(key);
  }

  isOffered({ forReaders, isAllowed }: Command<App>): boolean {
    return (this.app.permissions.isLoggedIn || forReaders === true) && (isAllowed?.(this.app) ?? true);
  }

  /** What the palette can do here. */
  get offered(): readonly Command<App>[] {
    return this.#groups
      .flatMap(({ commands }) => commands)
      .filter((one) => one.run !== undefined && one.id !== "palette" && !one.isStep && this.isOffered(one));
  }
}
