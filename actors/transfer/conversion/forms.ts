/** The forms of what other programs export. What has another one is left out. */
import { nullable, optional, type Struct } from "superstruct";

/** Of people and channels: the first is taken. */
export const twice = "people and channels that are in the export twice";

/** A member that may be left out, or be null. */
export const maybe = <T, S>(form: Struct<T, S>) => optional(nullable(form));

/** The parts of a list that have the form; what is no list has none. @param onOther of each that has another form */
export function fitting<T, S>(list: unknown, form: Struct<T, S>, onOther: () => void): T[] {
  if (!Array.isArray(list)) {
    if (list !== undefined && list !== null) onOther();
    return [];
  }
  return list.filter((part): part is T => {
    const isFitting = form.is(part);
    if (!isFitting) onOther();
    return isFitting;
  });
}
