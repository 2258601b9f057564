/** The address of an organization, as whoever asks knows it. */
import type { ServedRealm } from "../../actors/realm/served.ts";
import { hostNameOf } from "../server/addresses.ts";
import type { Exchange } from "../server/exchange.ts";
import type { App } from "./app.ts";

type Asked = { app: App; realm: ServedRealm; exchange: Exchange };

/**
 * Where nobody has said what the server's address is, it is the one that it was asked by. Another machine in the
 * network knows no other. Only ever told to whoever asks, since they may say what they like.
 */
export function urlAsAsked({ app, realm: { state }, exchange }: Asked): string {
  if (app.config.isUrlChosen || state.row.host !== null || hostNameOf(exchange.host) === undefined) return state.url;
  return `http://${exchange.host.toLowerCase()}`;
}

/** The same for an address below it. */
export function linkAsAsked(asked: Asked, link: string): string {
  const { url } = asked.realm.state;
  return link.startsWith(`${url}/`) ? urlAsAsked(asked) + link.slice(url.length) : link;
}
