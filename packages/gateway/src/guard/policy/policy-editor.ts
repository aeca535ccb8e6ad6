// The rules in force, to read, try and edit.
import type { JsonObject } from 'toolwire'
import type { ruleParts } from 'toolwire/relay'
import type { Explanation, WrittenCall } from 'toolwire/rules'
import type { Outlook } from '../tools/tool-view.js'

/** What is wrong with a text, counted from line 1. */
export type PolicyProblem = { readonly line?: number; readonly at: string; readonly message: string }

/** How often a rule has decided since the gateway was started. */
type Decided = { readonly hits: number; readonly lastAt?: number }

export type RuleView = Decided & { readonly name: string; readonly decision: ruleParts.Decision; readonly line?: number }

/** How one of the cases that stand beside the rules went. */
export type CaseView = {
  readonly name: string
  readonly tool: string
  readonly ok: boolean
  readonly expected: string
  readonly actual: string
  /** Why it does not hold: it may be about a tool that is not there. */
  readonly why?: string
  readonly line?: number
}

export type PolicyView = {
  /** Undefined if the config names no file; then tools that may change something wait for approval. */
  readonly file?: string
  /** Of the text, or of the rules where there is no file: to be sent back with another text. */
  readonly version: string
  /** As approvals name the rules that they are bound to. */
  readonly rulesVersion: string
  /** The file as it is now, whether or not it can be used. */
  readonly text: string
  readonly rules: readonly RuleView[]
  /** What no rule decided about. */
  readonly fallback: Decided & { readonly decision: Outlook }
  readonly cases: readonly CaseView[]
  /** The rules in force as JSON. */
  readonly set: JsonObject
  /** Why the file as it is now cannot be used. */
  readonly trouble?: string
}

/** A name that nothing has, where it stands, and the servers whose tools are kept back because of it. */
type MissingView = {
  readonly where: string
  readonly message: string
  readonly holds: readonly string[]
  readonly isPrecaution: boolean
}

export type PolicyChange = { readonly tool: string; readonly caller: string; readonly before: Outlook; readonly after: Outlook }

export type PolicyPreview = {
  readonly ok: boolean
  readonly problems: readonly PolicyProblem[]
  /** How many there are. */
  readonly rules: number
  readonly cases: readonly CaseView[]
  /** Names in the config and in these rules that nothing has. */
  readonly missing: readonly MissingView[]
  /** For the tools that are here, and the callers that are known. */
  readonly changes: readonly PolicyChange[]
  /** There are more changes than are shown. */
  readonly more?: true
}

/** It was saved; or why not: the file is not the one that the version was of, there is none, or the text cannot be used. */
export type SaveResult =
  | { readonly saved: true; readonly version: string }
  | { readonly saved: false; readonly why: 'changed' | 'no file' }
  | { readonly saved: false; readonly why: 'unusable'; readonly problems: readonly PolicyProblem[] }

export type PolicyEditor = {
  view(): Promise<PolicyView>
  explain(call: WrittenCall): Explanation
  preview(text: string): Promise<PolicyPreview>
  /** Replaces the file, if it is still as it was under that version; the new rules are in force when this has settled. */
  save(text: string, version: string): Promise<SaveResult>
}
