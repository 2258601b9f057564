import { findOverdueInvitations, findRealmsWithOverdueInvitations } from "../../storage/invitations.ts";
import type { Job } from "../realm/job.ts";

/** So that administrators' lists of invitations are right when nobody acts. */
export const expireInvitationsJob: Job = {
  name: "expire invitations",
  everySecs: 60,
  async run(realm, now) {
    const overdue = await findOverdueInvitations(realm.database.sql, realm.id, now);
    if (overdue.length > 0) await realm.execute("expireInvitations", {});
  },
  findWaiting: findRealmsWithOverdueInvitations,
};
