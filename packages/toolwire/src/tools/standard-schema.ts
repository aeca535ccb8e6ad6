// The types of Standard Schema (https://standardschema.dev) that we use, so that any schema library works without being a dependency.
// `jsonSchema` is its companion interface, by which a schema describes itself.

export type StandardIssue = {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type StandardResult<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] }

/** A schema of any library that follows Standard Schema. */
export interface StandardSchema<In = unknown, Out = In> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>
    readonly types?: { readonly input: In; readonly output: Out } | undefined
    readonly jsonSchema?: SelfDescribing | undefined
  }
}

type SelfDescribing = {
  readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>
  readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>
}

/** The type of values that a caller may pass. */
export type InputOf<S> = S extends StandardSchema ? NonNullable<S['~standard']['types']>['input'] : never

/** The type of values that a handler receives, with defaults and transforms applied. */
export type OutputOf<S> = S extends StandardSchema ? NonNullable<S['~standard']['types']>['output'] : never

/**
 * Any value, with literals kept literal. While TypeScript infers a definition, it knows the output only by the constraint
 * of its type. Under a plain `unknown`, a returned `'dev'` would widen to `string` and fit no enum.
 */
export type AnyOutput =
  | undefined
  | null
  // biome-ignore lint/complexity/noBannedTypes: together with undefined and null it is what `unknown` would be
  | {}
  | ''
  | 0
  | 0n
  | boolean
  | readonly AnyOutput[]
  | { readonly [key: string]: AnyOutput }
