/** `parley user …`, `parley invite`: what whoever runs the server does to accounts, while it serves. */

import { readFile } from "node:fs/promises";
import { hashToken, newToken } from "../../actors/email/one-time-token.ts";
import { ApiError } from "../../actors/errors.ts";
import type { ServedRealm } from "../../actors/realm/served.ts";
import { checkEmail } from "../../actors/users/changes/address.ts";
import { passwordPath } from "../../actors/users/changes/one-time-links.ts";
import { operatorOf } from "../../actors/users/changes/operator.ts";
import { passwordRules } from "../../actors/users/passwords/new-password.ts";
import { readSecondFactor } from "../../actors/users/second-factors/factors.ts";
import { insertOneTimeLink } from "../../storage/email/one-time-links.ts";
import { firstOf, messageOf } from "../../storage/failures.ts";
import type { SessionId, UserId } from "../../storage/ids.ts";
import { isKeyOf, type Role, roles, type UserRow } from "../../storage/rows.ts";
import { hashPassword } from "../../storage/users/passwords.ts";
import { findSessionsOf } from "../../storage/users/sessions.ts";
import { type AdminResult, passwordIn, required, type Values, withRealm } from "./admin.ts";
import type { Config } from "./config.ts";
import { readCsv } from "./csv.ts";
import type { RunningStorage } from "./main.ts";

const linkSecs = 86_400;

const nameOfRole = (role: number): string => Object.entries(roles).find(([, number]) => number === role)?.[0] ?? "";

export function roleIn(name: string | boolean | undefined): Role {
  if (typeof name !== "string" || !isKeyOf(roles, name))
    throw new Error(`--role must be one of ${Object.keys(roles).join(", ")}.`);
  return roles[name];
}

/** @throws Error unless somebody, active or not, has the address that `--email` names */
export function accountIn(realm: ServedRealm, values: Values): UserRow {
  const email = required(values, "email");
  const user = realm.state.userByEmail(email);
  if (!user) throw new Error(`There is no account under ${email}.`);
  return user;
}

/** A link by which somebody chooses a password; those they had are over. */
async function makeLink(storage: RunningStorage, realm: ServedRealm, user: UserRow): Promise<string> {
  const token = newToken();
  await insertOneTimeLink(storage.database.sql, {
    token_hash: hashToken(token),
    realm_id: realm.id,
    user_id: user.id,
    purpose: "password",
    invitation_id: null,
    identity_id: null,
    email: user.delivery_email,
    expires_at: realm.environment.clock() + linkSecs,
  });
  return `${realm.state.url}${passwordPath}${token}/`;
}

export function listUsers(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    const users = [...realm.state.users.values()]
      .filter((user) => !user.is_system_bot && !user.is_deleted)
      .sort((a, b) => a.id - b.id)
      .map((user) => ({
        user_id: user.id,
        email: user.delivery_email,
        full_name: user.full_name,
        role: nameOfRole(user.role),
        is_active: user.is_active,
        is_bot: user.is_bot,
      }));
    const line = (user: (typeof users)[number]) =>
      [
        user.user_id,
        user.email,
        user.is_bot ? "bot" : user.role,
        user.is_active ? "active" : "deactivated",
        user.full_name,
      ].join("\t");
    return { text: users.map(line).join("\n"), data: { users } };
  });
}

/** Ends an account, or brings it back. */
export function setActive(isActive: boolean) {
  return (storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> =>
    withRealm(storage, config, values, async (realm) => {
      const user = accountIn(realm, values);
      const args = { actorId: operatorOf(realm.state).id, userId: user.id };
      if (isActive) await realm.execute("reactivateUser", args);
      else if (user.is_bot) await realm.execute("deactivateBot", { actorId: args.actorId, botId: user.id });
      else await realm.execute("deactivateUser", args);
      return {
        text: `${user.delivery_email} is ${isActive ? "active again" : "deactivated: they are logged out everywhere"}.`,
        data: { user_id: user.id, is_active: isActive },
      };
    });
}

export function setRole(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const role = roleIn(values["role"]);
  return withRealm(storage, config, values, async (realm) => {
    const user = accountIn(realm, values);
    await realm.execute("operateAccount", { userId: user.id, role });
    return { text: `${user.delivery_email} is ${nameOfRole(role)} now.`, data: { user_id: user.id, role } };
  });
}

/** A password: one that is given or made up, or a link by which the person chooses one, shown or sent. */
export function setPassword(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    const user = accountIn(realm, values);
    const { id: user_id, delivery_email: email } = user;
    if (values["send-link"] === true) {
      await realm.execute("sendPasswordLink", { actorId: undefined, userId: user_id });
      return { text: `A link for a new password is on its way to ${email}.`, data: { user_id, email_sent: true } };
    }
    if (user.is_bot || !user.is_active) throw new Error(`${email} is ${user.is_bot ? "a bot" : "deactivated"}.`);
    if (values["link"] === true) {
      const link = await makeLink(storage, realm, user);
      await realm.execute("recordAudit", { fact: { type: "user_password_link_sent", userIds: [user_id] } });
      return { text: `For ${email}, once, within a day: ${link}`, data: { user_id, link } };
    }
    const rules = passwordRules(realm.state, { email, fullName: user.full_name });
    const password = passwordIn(values, "password", rules);
    await realm.execute("operateAccount", { userId: user_id, passwordHash: await hashPassword(password) });
    return { text: `${email}: password ${password}`, data: { user_id, email, password } };
  });
}

export function setEmail(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const email = required(values, "new-email");
  return withRealm(storage, config, values, async (realm) => {
    const user = accountIn(realm, values);
    await realm.execute("operateAccount", { userId: user.id, email });
    return { text: `${user.delivery_email} has the address ${email} now.`, data: { user_id: user.id, email } };
  });
}

/** The browsers in which somebody is logged in. */
export function listSessions(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    const user = accountIn(realm, values);
    const rows = await findSessionsOf(storage.database.sql, user.id, realm.environment.clock());
    const sessions = rows.map(({ id, user_agent, ip_address, date_created, last_seen, expires_at }) => ({
      id,
      user_agent,
      ip_address,
      date_created,
      last_seen,
      expires_at,
    }));
    const timeOf = (seconds: number) => `${new Date(seconds * 1000).toISOString().slice(0, 16)}Z`;
    const lines = sessions.map(({ id, date_created, last_seen, ip_address, user_agent }) =>
      [id, `since ${timeOf(date_created)}`, `seen ${timeOf(last_seen)}`, ip_address, user_agent].join("\t"),
    );
    const none = `${user.delivery_email} is logged in with no browser.`;
    return { text: lines.length > 0 ? lines.join("\n") : none, data: { user_id: user.id, sessions } };
  });
}

/** The log-in that `--session` names. @throws Error for what is no id */
function sessionIn(values: Values): SessionId | undefined {
  const { session } = values;
  if (session === undefined) return undefined;
  if (typeof session !== "string" || !/^[1-9]\d{0,14}$/.test(session))
    throw new Error("--session must be a number that parley user sessions shows.");
  return Number(session);
}

export function logOut(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const sessionId = sessionIn(values);
  const changesKey = values["new-key"] === true;
  if (sessionId !== undefined && changesKey) throw new Error("A new key ends every session: leave --session out.");
  return withRealm(storage, config, values, async (realm) => {
    const user = accountIn(realm, values);
    await realm.execute("operateAccount", { userId: user.id, logsOut: true, sessionId, changesKey });
    if (sessionId !== undefined)
      return {
        text: `${user.delivery_email} is logged out of that browser.`,
        data: { user_id: user.id, session_id: sessionId },
      };
    const what = changesKey ? "every browser and application" : "every browser; applications go on (see --new-key)";
    return {
      text: `${user.delivery_email} is logged out of ${what}.`,
      data: { user_id: user.id, new_key: changesKey },
    };
  });
}

/** Says whether an account has a second factor, or takes it away from whoever lost it. */
export function secondFactor(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    const user = accountIn(realm, values);
    if (values["end"] === true) await realm.execute("endSecondFactor", { actorId: undefined, userId: user.id });
    const { state, recovery_codes_left } = await readSecondFactor(realm, user);
    const codes = state === "on" ? `, with ${recovery_codes_left} recovery codes left` : "";
    return {
      text: `The second factor of ${user.delivery_email} is ${state}${codes}.`,
      data: { user_id: user.id, state, recovery_codes_left },
    };
  });
}

/** @throws Error that names every row which cannot be imported, by its line */
function peopleIn(text: string, file: string) {
  const faults: string[] = [];
  const lineOf = new Map<string, number>();
  const people = readCsv(text).flatMap(({ line, row }) => {
    try {
      const { email, name } = row;
      if (!email || !name) throw new Error("no email or no name.");
      const before = lineOf.get(email.toLowerCase());
      if (before !== undefined) throw new Error(`${email} is in line ${before} as well.`);
      lineOf.set(email.toLowerCase(), line);
      checkEmail(email);
      const about = { about: [email, name] };
      const password = row["password"] ? passwordIn({ password: row["password"] }, "password", about) : undefined;
      return [{ email, fullName: name, role: roleIn(row["role"] || "member"), password }];
    } catch (error) {
      faults.push(`  line ${line}: ${messageOf(error).replace(/^--/, "")}`);
      return [];
    }
  });
  if (faults.length > 0) throw new Error(`Nobody was added. These rows of ${file} are wrong:\n${faults.join("\n")}`);
  return people;
}

/**
 * Adds the people of a file: a first line that names its columns (`email`, `name`, and perhaps `role`, `password`),
 * then one for each of them. Who has an account already is left as they are, so that the same file may be given again.
 */
export async function importUsers(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const { file } = values;
  if (typeof file !== "string") throw new Error("Name the file: parley user import FILE.csv");
  const people = peopleIn(await readFile(file, "utf8"), file);
  return withRealm(storage, config, values, async (realm) => {
    const sends = values["send-link"] === true && realm.state.server.sendsEmail;
    if (values["send-link"] === true && !sends)
      throw new Error("--send-link needs a mail server: set PARLEY_SMTP_URL.");
    const added: { user_id: UserId; email: string; link: string | undefined }[] = [];
    const skipped: string[] = [];
    const failed: { email: string; reason: string }[] = [];
    for (const { email, fullName, role, password } of people) {
      if (realm.state.userByEmail(email)) {
        skipped.push(email);
        continue;
      }
      try {
        const passwordHash = password === undefined ? null : await hashPassword(password);
        const { user_id } = await realm.execute("createUser", {
          actorId: undefined,
          email,
          fullName,
          passwordHash,
          role,
        });
        const user = realm.state.knownUser(user_id);
        if (sends) await realm.execute("sendPasswordLink", { actorId: undefined, userId: user_id });
        const needsLink = password === undefined && !sends;
        added.push({ user_id, email, link: needsLink ? await makeLink(storage, realm, user) : undefined });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        failed.push({ email, reason: error.message });
      }
    }
    return {
      text: [
        `Added ${added.length}, left ${skipped.length} as they are, refused ${failed.length}.`,
        ...failed.map(({ email, reason }) => `  ${email}: ${reason}`),
        ...(added.some(({ link }) => link) ? ["Links by which people choose a password, once, within a day:"] : []),
        ...added.flatMap(({ email, link }) => (link ? [`  ${email} ${link}`] : [])),
      ].join("\n"),
      data: { added, skipped, failed },
    };
  });
}

/** Invites an address, or makes a link that anybody may use, in an owner's name. */
export function invite(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const email = typeof values["email"] === "string" ? values["email"] : undefined;
  const inviteAs = roleIn(values["role"] ?? "member");
  return withRealm(storage, config, values, async (realm) => {
    const args = {
      actorId: operatorOf(realm.state).id,
      expiresInMinutes: config.invitationValidityMinutes,
      inviteAs,
      channelIds: [],
      groupIds: [],
      includeDefaultChannels: true,
      welcomeText: null,
    };
    if (email === undefined) {
      const { invite_link: link } = await realm.execute("createMultiuseInvitation", args);
      return { text: `Whoever has this link joins: ${link}`, data: { link } };
    }
    const outcome = await realm.execute("inviteAddresses", { ...args, emails: [email], notifyReferrer: true });
    if (outcome.dailyLimitReached) throw new Error("The organization has invited too many people today.");
    const [failure] = outcome.failures;
    if (failure) throw new Error(`${failure[0]}: ${failure[1]}`);
    const { link } = firstOf(outcome.invitations);
    const isSent = realm.state.server.sendsEmail;
    return {
      text: isSent
        ? `An invitation is on its way to ${email}.`
        : `No email is sent: hand this over to ${email}: ${link}`,
      data: { email, email_sent: isSent, link },
    };
  });
}
