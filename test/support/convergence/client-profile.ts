/** The three kinds of client that the law is proved for. They are registered as the page people chat on registers. */
export * from "../../../http/client/state/client-profile.ts";
