/** Limits on the work that one schema may cause. */
export type ValidationLimits = {
  /** Approximate size of the schema as JSON text. */
  readonly bytes: number
  /** Nesting depth of subschemas. */
  readonly depth: number
  /** Number of subschemas, including those of referenced documents. */
  readonly subschemas: number
  /** Steps of one validation. */
  readonly steps: number
  /** Depth of one validation, counting references. */
  readonly descent: number
  /** Instructions of all patterns together, with repetitions expanded. */
  readonly instructions: number
}

/** For schemas from other parties. */
export const untrustedLimits: ValidationLimits = {
  bytes: 256 * 1024,
  depth: 32,
  subschemas: 2_000,
  steps: 200_000,
  descent: 400,
  instructions: 5_000,
}

/** For schemas written by the author of the server: generous, but finite. */
export const trustedLimits: ValidationLimits = {
  bytes: 8 * 1024 * 1024,
  depth: 500,
  subschemas: 100_000,
  steps: 2_000_000,
  descent: 1_000,
  instructions: 50_000,
}
