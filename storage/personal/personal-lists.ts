/** Sizes of people's personal lists. */
import { onlyRow } from "../failures.ts";
import type { UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

export interface ListSize {
  items: number;
  /** Bytes of their texts in UTF-8. */
  bytes: number;
}

interface List {
  from: string;
  where?: string;
  texts: string[];
}

/** The table and the texts of each list. PostgreSQL knows the size of a text without reading it. */
const lists = {
  drafts: { from: "drafts", texts: ["content", "topic", `"to"::text`] },
  snippets: { from: "saved_snippets", texts: ["title", "content"] },
  scheduled: {
    from: "scheduled_messages",
    where: "reminder_target_message_id is null",
    texts: ["content", "rendered_content"],
  },
  reminders: {
    from: "scheduled_messages",
    where: "reminder_target_message_id is not null",
    texts: ["content", "rendered_content"],
  },
  devices: { from: "devices", texts: ["push_key", "bouncer_public_key", "encrypted_push_registration"] },
  tokens: { from: "push_tokens", texts: ["token", "appid"] },
} satisfies Record<string, List>;
export type ListName = keyof typeof lists;

/** The size of a person's list, without the item `except`. */
export async function findListSize(sql: Sql, list: ListName, userId: UserId, except?: number): Promise<ListSize> {
  const { from, texts, where = "true" }: List = lists[list];
  const bytes = texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(" + ");
  const others = except === undefined ? "" : `and id <> ${Number(except)}`;
  // Unsafe: table and column names cannot be parameters.
  const rows = await sql.unsafe<ListSize[]>(
    `select count(*)::int as items, coalesce(sum(${bytes}), 0)::bigint as bytes from ${from}
     where user_id = $1 and ${where} ${others}`,
    [userId],
  );
  return onlyRow(rows);
}
