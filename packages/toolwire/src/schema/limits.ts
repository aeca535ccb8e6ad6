/** How much work one schema may cause. */
export type ValidationLimits = {
  /** Size of the schema as JSON text. */
  readonly bytes: number
  /** How deep subschemas may nest. */
  readonly depth: number
  /** How many subschemas there may be, referenced documents included. */
  readonly subschemas: number
  /** How many steps one validation may take. */
  readonly steps: number
  /** How deep one validation may descend, through references as well. */
  readonly descent: number
  /** How many instructions the patterns of the schema may amount to, repetitions written out. */
  readonly instructions: number
}

/** For schemas that came over a wire. */
export const untrustedLimits: ValidationLimits = {
  bytes: 256 * 1024,
  depth: 32,
  subschemas: 2_000,
  steps: 200_000,
  descent: 400,
  instructions: 5_000,
}

/** For schemas written by the author of the server: generous, but still an end to everything. */
export const trustedLimits: ValidationLimits = {
  bytes: 8 * 1024 * 1024,
  depth: 500,
  subschemas: 100_000,
  steps: 2_000_000,
  descent: 1_000,
  instructions: 50_000,
}
