/** Tells of an address, which is no name, whether it is meant. */
export type AddressRule = (address: string) => boolean;

/** Whether an address belongs to the open internet. */
export const isOpenAddress: AddressRule;

/** @throws Error for what is no address and no range */
export function parseAddressList(text: string): AddressRule;

/** @throws Error for what is no address and no range */
export function parseAllowedAddresses(text: string): AddressRule;
