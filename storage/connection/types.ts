/** How values travel whose types PostgreSQL does not tell the driver. */
const int8Oid = 20;
const int8ArrayOid = 1016;
const textArrayOid = 1009;

export const types = {
  // Ids and positions stay far below 2^53, so a bigint is a plain number everywhere.
  bigint: { to: int8Oid, from: [int8Oid], parse: Number, serialize: String },
  bigints: {
    to: int8ArrayOid,
    from: [int8ArrayOid],
    parse: (text: string) => (text === "{}" ? [] : text.slice(1, -1).split(",").map(Number)),
    serialize: (ids: number[]) => `{${ids.join(",")}}`,
  },
  // Sent, never read.
  texts: {
    to: textArrayOid,
    from: [],
    parse: () => [],
    serialize: (texts: string[]) => `{${texts.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(",")}}`,
  },
};
