/** Pays for work done; it throws when the budget is used up. */
export type Meter = { spend(steps: number): void }

/** A compiled pattern: does it occur in the text? Its time grows with the text, and is paid for as it passes. */
export type Pattern = { test(text: string, meter: Meter): boolean }

/** Compiles the source of a pattern, or refuses it with a SchemaError. */
export type PatternEngine = (source: string) => Pattern
