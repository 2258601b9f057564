import type postgres from "postgres";
import { until } from "../time/until.ts";

/** Waits until it was decided of every message of the only organization who is told of it, and they were told. */
export async function allAreTold(sql: postgres.Sql): Promise<void> {
  await until(
    "everybody to be told",
    async () => {
      const rows = await sql<{ done: boolean }[]>`
        select c.message_id >= (select max(id) from messages where realm_id = c.realm_id)
          and not exists (select from push_notifications) as done from notification_cursors c`;
      return rows[0]?.done === true;
    },
    120_000,
  );
}
