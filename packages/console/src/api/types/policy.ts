export type Decision = 'allow' | 'ask' | 'deny'

export type PolicyRule = {
  readonly name: string
  readonly line?: number
  readonly decision: Decision
  readonly hits: number
  readonly lastAt?: number
}

export type PolicyCase = {
  readonly name: string
  readonly tool?: string
  readonly ok: boolean
  readonly expected?: string
  readonly actual?: string
  readonly line?: number
}

export type Policy = {
  /** None where the config names none. */
  readonly file?: string
  /** Of the text: sent back with another one. */
  readonly version: string
  /** Of the rules in force, as approvals name them. */
  readonly rulesVersion?: string
  readonly text: string
  readonly rules: readonly PolicyRule[]
  /** What becomes of calls that no rule matches. */
  readonly fallback?: { readonly decision: Decision | 'depends'; readonly hits: number; readonly lastAt?: number }
  readonly cases: readonly PolicyCase[]
  /** Why a newer text of the file cannot be used. */
  readonly trouble?: string
}

export type PolicyPreview = {
  readonly ok: boolean
  readonly problems: readonly { readonly line?: number; readonly at?: string; readonly message: string }[]
  readonly cases: readonly PolicyCase[]
  readonly changes: readonly { readonly tool: string; readonly caller: string; readonly before: string; readonly after: string }[]
  /** There are more changes than are listed. */
  readonly more?: boolean
}
