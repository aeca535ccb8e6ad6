// Reads, tries and edits the file of rules.
import { createHash } from 'node:crypto'
import type { JsonObject } from 'toolwire'
import { ruleParts, yieldWhenBusy } from 'toolwire/relay'
import { type Explanation, explain, type Rulebook, RulesError, readRules, runCases, type WrittenCall } from 'toolwire/rules'
import { oneAtATime } from '../../bounds/one-at-a-time.js'
import type { NameCheck } from '../../catalog/missing-names/name-check.js'
import { ConfigError } from '../../config/config-error.js'
import { readContent, replaceFile } from '../../config/editing/replace-file.js'
import type { Outlook } from '../tools/tool-view.js'
import { rulesFormat } from './configured-rules.js'
import { type KnownSubjects, policyChanges } from './policy-changes.js'
import type { PolicyFile } from './policy-file.js'
import { type RuleLines, ruleLinesOf } from './rule-lines.js'

/** A problem in a text; lines count from 1. */
type PolicyProblem = { readonly line?: number; readonly at: string; readonly message: string }

/** The cases beside the rules, each with its result. Yields to other work, because each may be compared with thousands of names. */
async function caseViews(book: Rulebook, lines: RuleLines, toolsFor: ruleParts.ToolsFor) {
  const views: CaseView[] = []
  const rest = yieldWhenBusy()
  for (const [index, one] of (book.set.cases ?? []).entries()) {
    const pause = rest()
    if (pause) await pause
    const [failed] = runCases(book, [one], { toolsFor }).failed
    views.push(caseViewOf(one, failed, lines.cases[index]))
  }
  return views
}

type CaseView = ReturnType<typeof caseViewOf>
type FailedCase = ReturnType<typeof runCases>['failed'][number]

function caseViewOf(one: ruleParts.RuleCase, failed: FailedCase | undefined, line: number | undefined) {
  const expected = decisionText(one.expect, one.rule)
  return {
    name: one.name ?? `a call to ${one.call.tool}`,
    tool: one.call.tool,
    ok: failed === undefined,
    expected,
    actual: failed ? decisionText(failed.explanation.decision, failed.explanation.rule ?? null) : expected,
    // The reason may be that the tool does not exist.
    ...(failed && { why: failed.message }),
    ...(line !== undefined && { line }),
  }
}

const decisionText = (decision: string, rule: ruleParts.RuleCase['rule']): string =>
  rule === undefined ? decision : `${decision} by ${rule === null ? 'the default' : rule}`

type RuleView = { readonly name: string; readonly decision: Outlook; readonly line?: number } & ReturnType<typeof hitsOf>

type Parts = { readonly policy: PolicyFile; readonly names: NameCheck }
/** Accepts a text before it is written, so that it is in force where other texts wait for acceptance. */
type Accept = (text: string) => Promise<void>

export type PolicyEditor = ReturnType<typeof createPolicyEditor>
export type PolicyView = Awaited<ReturnType<PolicyEditor['view']>>
export type PolicyPreview = Awaited<ReturnType<typeof policyChanges>> & {
  readonly ok: boolean
  readonly problems: readonly PolicyProblem[]
  readonly rules: number
  readonly cases: readonly CaseView[]
  readonly missing: readonly object[]
}

export function createPolicyEditor({ policy, names, accept }: Parts & { accept: Accept }, known: () => KnownSubjects) {
  // Saves run in turn, so the second of two concurrent saves sees the result of the first.
  const inTurn = oneAtATime()
  return {
    view: () => viewOf(policy, names),
    /** By the rules in force, or by those in the text. */
    explain: async (call: WrittenCall, text?: string) => {
      if (text === undefined) return explainCall(policy.current, call, names)
      const read = await tryReadRules(text, policy, 'ignore')
      return 'problems' in read ? read : explainCall(policy.parse(read.book), call, names)
    },
    preview: (text: string) => previewOf(text, { policy, names }, known()),
    /** Replaces the file if its version is unchanged. The new rules are in force when the promise settles. */
    save: (text: string, version: string) => inTurn(() => saved(text, version, { policy, accept })),
  }
}

/** Explains a call of the real tool, whichever of its names the call uses. */
function explainCall(book: Rulebook, call: WrittenCall, { toolsFor }: NameCheck): Explanation {
  const tools = toolsFor(call)
  if (typeof tools !== 'string') return explain(book, ruleParts.callToTool(call, tools[0] ?? {}))
  const explanation = explain(book, call)
  return { ...explanation, why: `${explanation.why}. Note: ${tools}` }
}

async function viewOf(policy: PolicyFile, { toolsFor }: NameCheck) {
  const { path, file, place, current, trouble } = policy
  const given = typeof place === 'object' ? place.text : undefined
  const text = file === undefined ? given : await readContent(file).catch(() => undefined)
  const lines = await ruleLinesOf(text ?? '')
  const fallback: Outlook = current.set.default ?? 'depends'
  return {
    ...(path !== undefined && { file: path }),
    // The version of the text, or of the rules if there is no file. Clients send it back when they save.
    version: versionOf(text) ?? current.version,
    // The version that approvals are bound to.
    rulesVersion: current.version,
    // The current content of the file, even if it cannot be used. Lines end with \n, as they do in an editor of a browser.
    text: text?.replaceAll('\r\n', '\n') ?? '',
    rules: current.set.rules.map(({ name, decision }): RuleView => {
      const line = lines.rules.get(name)
      return { name, decision, ...(line !== undefined && { line }), ...hitsOf(policy, name) }
    }),
    // The decision for calls that no rule covers.
    fallback: { decision: fallback, ...hitsOf(policy, undefined) },
    cases: await caseViews(current, lines, toolsFor),
    set: current.set as object as JsonObject, // a set is JSON
    // The reason why the current file cannot be used.
    ...(trouble && { trouble: trouble.message }),
  }
}

/** Count and time of a rule's decisions since the gateway started. */
function hitsOf({ hits }: PolicyFile, rule: string | undefined) {
  const { count, lastAt } = hits.of(rule)
  return { hits: count, ...(lastAt > 0 && { lastAt }) }
}

async function previewOf(text: string, { policy, names }: Parts, known: KnownSubjects): Promise<PolicyPreview> {
  const read = await tryReadRules(text, policy, 'ignore')
  if ('problems' in read) return { ok: false, problems: read.problems, rules: 0, cases: [], missing: [], changes: [] }
  const cases = await caseViews(read.book, await ruleLinesOf(text), names.toolsFor)
  const missing = (await names.missingBy(read.book)).map((one) => ({ ...one, holds: [...one.holds] }))
  const changes = await policyChanges(policy.current, policy.parse(read.book), known)
  return { ok: cases.every(({ ok }) => ok), problems: [], rules: read.book.set.rules.length, cases, missing, ...changes }
}

/** 'changed': the file has another version. 'pushed': the rules come from the database, where a push changes them. */
type SaveResult =
  | { readonly saved: true; readonly version: string }
  | { readonly saved: false; readonly why: 'changed' | 'no file' | 'pushed' }
  | { readonly saved: false; readonly why: 'unusable'; readonly problems: readonly PolicyProblem[] }

type SaveParts = { readonly policy: PolicyFile; readonly accept: Accept }

async function saved(text: string, version: string, { policy, accept }: SaveParts): Promise<SaveResult> {
  const { file: path } = policy
  if (path === undefined) return { saved: false, why: policy.place === undefined ? 'no file' : 'pushed' }
  const before = await readContent(path)
  if (versionOf(before) !== version) return { saved: false, why: 'changed' }
  const read = await tryReadRules(text, policy, 'refuse')
  if ('problems' in read) return { saved: false, why: 'unusable', problems: read.problems }
  const written = withLineEndsOf(before ?? '', text)
  await accept(written)
  try {
    await replaceFile(path, before, written)
  } catch (thrown) {
    // Another writer replaced the file after it was read.
    if (thrown instanceof ConfigError && versionOf(await readContent(path)) !== version) return { saved: false, why: 'changed' }
    throw thrown
  }
  await policy.written(path, written)
  return { saved: true, version: versionOf(written) ?? version }
}

/** The text with the line ends of the file that it replaces: `\r\n` if all its lines end so. */
function withLineEndsOf(before: string, text: string): string {
  const lines = before.split('\n').slice(0, -1)
  return lines.length > 0 && lines.every((line) => line.endsWith('\r')) ? text.replaceAll(/\r?\n/g, '\r\n') : text
}

type Read = { readonly book: Rulebook } | { readonly problems: readonly PolicyProblem[] }

async function tryReadRules(text: string, { path, reading }: PolicyFile, cases: 'refuse' | 'ignore'): Promise<Read> {
  try {
    return { book: await readRules(text, { format: rulesFormat(path ?? ''), cases, ...reading }) }
  } catch (thrown) {
    if (thrown instanceof RulesError) return { problems: thrown.problems }
    throw thrown
  }
}

const versionOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : createHash('sha256').update(text).digest('hex')
