import { longestTimer } from '../../bounds/longest-timer.js'
import type { JsonObject } from '../../json.js'
import { compileTrusted } from '../../schema/compile-schema.js'
import type { RuleSet } from './rule-set.js'
import { RulesError, rulesProblem } from './rules-error.js'

const text = { type: 'string', minLength: 1 }
const texts = { type: 'array', items: text, minItems: 1 }
const name = { type: ['string', 'array', 'object'], minLength: 1, items: text, minItems: 1 }
const textOrTexts = { ...name, type: ['string', 'array'] }
const anyTexts = { type: 'array', items: text }
const flag = { type: 'boolean' }
const count = { type: 'integer', minimum: 1 }
const decision = { enum: ['allow', 'deny', 'ask'] }
const pointers = { type: 'array', items: { type: 'string', pattern: '^[^/*~]|^(/([^/~]|~[01])*)+$' } }

const record = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

const hints = record({ readOnly: flag, destructive: flag, idempotent: flag, openWorld: flag })

const caller = {
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: record({ id: name, scopes: texts, lacks: texts, anonymous: flag }),
  else: textOrTexts,
}

const when = record({
  server: name,
  tool: name,
  hints,
  tags: texts,
  caller,
  received: textOrTexts,
  arguments: { type: 'object' },
  closed: { const: true },
  call: { type: ['object', 'boolean'] },
})

const limit = record({ calls: count, burst: count, per: { enum: ['second', 'minute', 'hour', 'day'] } }, ['calls', 'per'])

const timeout = { type: 'number', exclusiveMinimum: 0, maximum: longestTimer }

const rule = record({ name: text, when, decision, because: text, limit, timeout, redact: pointers, optional: flag }, [
  'name',
  'decision',
])

const label = record({ name: text, when, for: { enum: ['minute', 'hour', 'day'] }, optional: flag }, ['name', 'when'])

const writtenCaller = {
  if: { type: 'object' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: record({ id: text, scopes: anyTexts, anonymous: flag }, ['id']),
  else: text,
}

const toolNames = { server: text, tool: text, ownName: text }
const callMembers = { caller: writtenCaller, arguments: { type: 'object' }, received: anyTexts }
const callSchema = record({ ...toolNames, hints, tags: anyTexts, ...callMembers }, ['tool'])

/**
 * The JSON Schema of a set of rules, for editors too.
 *
 * @example
 * ```ts
 * const check = compile(ruleSetSchema)
 * ```
 */
export const ruleSetSchema: JsonObject = record(
  {
    $schema: { type: 'string' },
    version: { const: 1 },
    default: decision,
    redact: pointers,
    labels: { type: 'array', items: label, maxItems: 100 },
    rules: { type: 'array', items: rule, maxItems: 1_000 },
    cases: {
      type: 'array',
      items: record({ name: text, call: callSchema, expect: decision, rule: { type: ['string', 'null'] } }, ['call', 'expect']),
    },
  },
  ['rules'],
)

const shape = compileTrusted(ruleSetSchema)

export function checkRuleSet(set: RuleSet): void {
  const issues = shape.check(set)
  if (issues.length > 0) throw new RulesError(issues.map(({ path, message }) => ({ at: path, message })))
  const { rules, labels = [], cases = [] } = set
  checkNames('rule', rules)
  for (const [index, { decision: outcome, limit, timeout }] of rules.entries())
    if (outcome === 'deny' && (limit || timeout !== undefined))
      throw rulesProblem(`/rules/${index}`, 'a rule that denies has neither a limit nor a timeout')
  checkNames('label', labels)
  // A rule about a label that no result carries would never hold.
  const names = labels.map(({ name: label }) => label)
  const known = names.length === 0 ? 'there are no labels' : `the labels are ${names.join(', ')}`
  const check = (place: string, received: string | readonly string[] = []) => {
    for (const one of [received].flat())
      if (!names.includes(one)) throw rulesProblem(place, `there is no label ${JSON.stringify(one)}: ${known}`)
  }
  for (const [index, { when }] of rules.entries()) check(`/rules/${index}/when/received`, when?.received)
  for (const [index, { when }] of labels.entries()) check(`/labels/${index}/when/received`, when.received)
  for (const [index, { call }] of cases.entries()) check(`/cases/${index}/call/received`, call.received)
}

function checkNames(kind: 'rule' | 'label', named: readonly { readonly name: string }[]): void {
  const names = named.map(({ name: one }) => one)
  const at = names.findIndex((one, index) => names.indexOf(one) !== index)
  if (at !== -1) throw rulesProblem(`/${kind}s/${at}/name`, `there is another ${kind} called ${JSON.stringify(names[at])}`)
}
