/**
 * Which compression a client accepts, by its `Accept-Encoding`.
 * https://www.rfc-editor.org/rfc/rfc9110#field.accept-encoding
 */

export type Encoding = "br" | "gzip";

/** Characters that are read. Only hostile headers are longer. */
const maxLength = 500;

/** Whether an encoding is accepted: named with a weight above 0, or not named where `*` is. */
export function accepts(acceptEncoding: string, encoding: Encoding): boolean {
  if (acceptEncoding === "") return false;
  let any = false;
  for (const item of acceptEncoding.slice(0, maxLength).toLowerCase().split(",")) {
    const [name, ...parameters] = item.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    const isWanted = weight === undefined || Number(weight.slice(2)) > 0;
    if (name === encoding || name === `x-${encoding}`) return isWanted;
    if (name === "*") any = isWanted;
  }
  return any;
}
