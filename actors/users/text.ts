/**
 * All accounts as JSON text, in blocks of people. A change makes one block stale, and a register joins the others as
 * they are. The text depends on the viewer only as far as the forms below say, so few texts serve everybody.
 */
import { oldestOf } from "../../storage/failures.ts";
import type { UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { isAdmin, isEmailPublic, isGuest, isModerator } from "../realm/access.ts";
import { defineDerived, type RealmState } from "../realm/state/state.ts";
import { arrayOfPieces, type JsonText, type Piece } from "../text/json-text.ts";
import { profileTables } from "./profile-data.ts";
import { maxListedGravatars, renderUser, type UserView } from "./record.ts";

/** Bits of an id within a block. A block is small enough to build again, and large enough for joining few of them. */
const blockBits = 8;
/** Milliseconds of building in one turn of the event loop. */
const turnMs = 5;
/** The most forms kept. Most clients of an organization are of two or three kinds. */
const maxForms = 4;

/** The lists of the register answer that an account can be in. */
const lists = ["realm_users", "realm_non_active_users", "cross_realm_bots"] as const;
type List = (typeof lists)[number];

/** Each list's part of a block, every record after a comma; undefined: none. */
type BlockText = Partial<Record<List, Buffer>>;

interface Block {
  firstId: UserId;
  /** By form. For a block whose addresses look the same to everybody: by the form without the viewer's class. */
  texts: Map<string, BlockText>;
  /** Whether every viewer sees the same addresses. Undefined: not known yet. */
  isPlain: boolean | undefined;
}

export type UserLists = Record<List, JsonText>;

class UserText {
  readonly #blocks = new Map<number, Block>();
  /** Forms in use, the one used longest ago first. */
  readonly #forms = new Set<string>();

  /** Notes that an account is new or has changed. */
  userChanged(userId: UserId): void {
    const key = userId >> blockBits;
    const block = this.#blocks.get(key);
    if (block) forget(block);
    else this.#blocks.set(key, { firstId: key << blockBits, texts: new Map(), isPlain: undefined });
  }

  /** Builds the text that `lists` needs, a few milliseconds at a time. */
  async prepare(state: RealmState, viewer: UserRow, view: UserView): Promise<void> {
    let started = performance.now();
    for (const block of this.#blocks.values()) {
      this.#text(block, state, viewer, view);
      if (performance.now() - started < turnMs) continue;
      await new Promise((resume) => setImmediate(resume));
      started = performance.now();
    }
  }

  /** The three lists for a viewer who may know of everybody. */
  lists(state: RealmState, viewer: UserRow, view: UserView): UserLists {
    const found: Record<List, Piece[]> = { realm_users: [], realm_non_active_users: [], cross_realm_bots: [] };
    for (const block of this.#blocks.values()) {
      const text = this.#text(block, state, viewer, view);
      for (const list of lists) if (text[list]) found[list].push(text[list]);
    }
    return {
      realm_users: arrayOfPieces(found.realm_users),
      realm_non_active_users: arrayOfPieces(found.realm_non_active_users),
      cross_realm_bots: arrayOfPieces(found.cross_realm_bots),
    };
  }

  #text(block: Block, state: RealmState, viewer: UserRow, view: UserView): BlockText {
    block.isPlain ??= peopleOf(block, state).every(isEmailPublic);
    // People see their own address, even if nobody else does.
    const isSpecial = !block.isPlain && viewer.id >> blockBits === block.firstId >> blockBits && !isEmailPublic(viewer);
    if (isSpecial) return build(block, state, viewer, view);
    const form = this.#use(formOf(state, viewer, view, block.isPlain));
    let text = block.texts.get(form);
    if (!text) block.texts.set(form, (text = build(block, state, viewer, view)));
    return text;
  }

  #use(form: string): string {
    if (this.#forms.delete(form)) {
      this.#forms.add(form);
      return form;
    }
    this.#forms.add(form);
    if (this.#forms.size > maxForms) {
      const oldest = oldestOf(this.#forms);
      this.#forms.delete(oldest);
      for (const block of this.#blocks.values()) block.texts.delete(oldest);
    }
    return form;
  }
}

function forget(block: Block): void {
  block.texts.clear();
  block.isPlain = undefined;
}

/** All facts about a viewer on which `renderUser` depends. */
function formOf(state: RealmState, viewer: UserRow, view: UserView, isPlain: boolean): string {
  const omitsGravatars = view.avatarOptional === true && state.users.size > maxListedGravatars;
  const client = `${view.clientGravatar ? "g" : "-"}${omitsGravatars ? "o" : "-"}`;
  if (isPlain) return client;
  if (isAdmin(viewer)) return `${client}administrator`;
  if (isModerator(viewer)) return `${client}moderator`;
  return client + (isGuest(viewer) ? "guest" : "member");
}

function peopleOf(block: Block, state: RealmState): UserRow[] {
  const people: UserRow[] = [];
  for (let id = block.firstId; id < block.firstId + (1 << blockBits); id++) {
    const user = state.users.get(id);
    if (user) people.push(user);
  }
  return people;
}

function build(block: Block, state: RealmState, viewer: UserRow, view: UserView): BlockText {
  const texts: Partial<Record<List, string>> = {};
  for (const user of peopleOf(block, state)) {
    const { is_active, ...record } = renderUser(state, user, viewer, view);
    const list = user.is_system_bot ? "cross_realm_bots" : is_active ? "realm_users" : "realm_non_active_users";
    texts[list] = `${texts[list] ?? ""},${JSON.stringify(record)}`;
  }
  const built: BlockText = {};
  for (const list of lists) if (texts[list] !== undefined) built[list] = Buffer.from(texts[list]);
  return built;
}

/** Everybody, as a register lists them. */
export const userTexts = defineDerived<UserText>({
  make(state) {
    const texts = new UserText();
    for (const id of state.users.keys()) texts.userChanged(id);
    return texts;
  },
  tables: profileTables,
  userChanged: (texts, { id }) => texts.userChanged(id),
});
