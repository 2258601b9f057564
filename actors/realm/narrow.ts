/** A narrow as clients send it, checked for form; what its operands mean is decided where it is used. */
export interface NarrowTerm {
  operator: string;
  operand: unknown;
  negated: boolean;
}
