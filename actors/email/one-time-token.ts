/** The secret in a one-time link: it is told once, and only its hash is stored. */
import { createHash, randomBytes } from "node:crypto";

/** 24 random bytes, base64url. */
export const newToken = (): string => randomBytes(24).toString("base64url");

export const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

/** Whether something could be a token: nothing else is looked up. */
export const isToken = (text: string): boolean => /^[A-Za-z0-9_-]{32}$/.test(text);
