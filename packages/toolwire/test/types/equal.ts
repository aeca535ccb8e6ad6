/** True if two types are identical, and not merely assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Asserts at compile time that a type is `true`. */
export const is = <T extends true>(_?: T): void => undefined
