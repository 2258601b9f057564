/** Events about a device, for its owner. */
import type { UserId } from "../../../storage/ids.ts";
import type { DeviceChange } from "../../events/personal.ts";
import type { Tx } from "../../realm/transaction.ts";

/** The client that has devices with keys. */
export const mobileClient = "ZulipFlutter";

/** @param client the client that has the device: its queues need not have named the type */
export function tellDevice(tx: Tx, userId: UserId, client: string, change: DeviceChange): void {
  tx.event({ type: "device", ...change, client }, { to: "users", ids: [userId] });
}
