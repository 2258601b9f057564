/** How long a message of LDAP is, by the head of its BER encoding. Source: RFC 4511, 5.1; X.690, 8.1.3. */

/** Whether bytes are one message, whole and with nothing behind it. */
export function isOneMessage(bytes: Uint8Array): boolean {
  const [tag, first] = bytes;
  if (tag !== 0x30 || first === undefined) return false;
  if (first < 0x80) return bytes.length === 2 + first;
  const count = first & 0x7f;
  if (count === 0 || count > 4) return false;
  let length = 0;
  for (const byte of bytes.subarray(2, 2 + count)) length = length * 256 + byte;
  return bytes.length === 2 + count + length;
}
