// What a tool may do has one answer: rules, approvals, the gateway, its command line and the page give the same. Every combination of
// what a server claims, what the operator says, and whether the server is trusted goes through all of them.

import type { Hints } from 'toolwire'
import type { RemoteTool } from 'toolwire/client'
import { approve, effectiveHints, type ReadyTool } from 'toolwire/guard'
import { sanitizing } from 'toolwire/relay'
import { explain, Rulebook } from 'toolwire/rules'
import { describe, expect, it } from 'vitest'
import { exposedToolOf } from '../../../gateway/src/catalog/definitions/exposed-tool.js'
import { missingInServer } from '../../../gateway/src/catalog/missing-names/in-config.js'
import { claimsText } from '../../../gateway/src/cli/list.js'
import type { UpstreamConfig } from '../../../gateway/src/config/gateway-config.js'
import { ruleSubjectOf } from '../../../gateway/src/guard/tools/describe-tool.js'
import { outlookFor } from '../../../gateway/src/guard/tools/tool-outlook.js'
import { newApprovalOf } from '../../../gateway/src/store/approvals/approval-records.js'
import { http, upstreamConfig } from '../../../gateway/test/support/running-gateway.js'
import { describeCall } from '../../../toolwire/src/policy/approve/approval.js'
import { approvalQuestion } from '../../../toolwire/src/policy/approve/ask-caller.js'
import { asked } from '../../../toolwire/test/policy/approve/pending-approval.js'
import { callOf, done, through } from '../../../toolwire/test/policy/call.js'
import { claimTexts, effectOf } from '../../src/parts/effect-claims.js'

const names = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const

/** Each of the four hints said to be so, said not to be so, and not said. */
const everyHints: readonly Hints[] = names.reduce<readonly Hints[]>(
  (all, name) => all.flatMap((hints) => [hints, { ...hints, [name]: true }, { ...hints, [name]: false }]),
  [{}],
)

/** The answer in the words of the specification: what is not said is the worst, and a tool that only reads has no other hints. */
function expected({ readOnly = false, destructive = true, idempotent = false, openWorld = true }: Hints): Required<Hints> {
  if (readOnly) return { readOnly, destructive: false, idempotent: true, openWorld }
  return { readOnly, destructive, idempotent, openWorld }
}

/** What to believe: the operator first, and a tool that they call destructive does not merely read; then a trusted server. */
function believed(claims: Hints, said: Hints, trusted: boolean): Required<Hints> {
  const from = trusted ? claims : {}
  return expected({ ...from, ...(said.destructive === true && { readOnly: false }), ...said })
}

const config = (trusted: boolean, said: Hints): UpstreamConfig =>
  upstreamConfig('files', http('http://127.0.0.1:1/mcp'), { trusted, tools: { act: { hints: said } } })

/** The tool as the gateway has it, with what it is listed with. */
function exposed(claims: Hints, said: Hints, trusted: boolean): ReadyTool {
  const annotations = Object.fromEntries(Object.entries(claims).map(([hint, holds]) => [`${hint}Hint`, holds]))
  const definition = { name: 'act', inputSchema: { type: 'object' }, annotations }
  const remote = { name: 'act', inputSchema: definition.inputSchema, claims: sanitizing.claimsOf(annotations), definition }
  // Of a listed tool, no more is looked at.
  const made = exposedToolOf(remote as unknown as RemoteTool, definition, config(trusted, said))
  if (!made) throw new Error('It is not hidden')
  const { name, listed, hints } = made
  const about = { server: 'files', ownName: 'act', hints, run: () => 'done' }
  return { name, listed, definition: about, checkInput: (value) => ({ value }), checkOutput: undefined }
}

const lenient = new Rulebook({ rules: [] }, { readOnlyClaims: 'run' })
const strict = new Rulebook({ rules: [] })
const remoteOf = (claims: Hints) => ({ claims }) as unknown as RemoteTool // its claims are all that is looked at

describe('a tool', () => {
  it('is taken for the worst of what is not said, in each of 81 combinations', () => {
    expect(everyHints).toHaveLength(81)
    for (const hints of everyHints) expect(effectiveHints(hints), JSON.stringify(hints)).toEqual(expected(hints))
  })

  it.each([
    true,
    false,
  ])('has one answer everywhere, for all that its server and the operator may say; trusted: %s', (trusted) => {
    for (const claims of everyHints)
      for (const said of everyHints) {
        const why = JSON.stringify({ claims, said, trusted })
        const tool = exposed(claims, said, trusted)
        const hints = believed(claims, said, trusted)
        const listed = sanitizing.claimsOf(tool.listed.annotations)
        expect(tool.definition.hints, why).toEqual(hints)
        // What it is listed with is what a client makes of it that trusts the gateway, as far as somebody said it who is believed.
        if (trusted) expect(effectiveHints(listed), why).toEqual(hints)
        if (said.readOnly !== undefined || said.destructive)
          expect([effectiveHints(listed).readOnly, effectOf(listed).name === 'reads'], why).toEqual([
            hints.readOnly,
            hints.readOnly,
          ])
        const runs = hints.readOnly ? 'allow' : 'ask'
        const claimed = listed.readOnly === true && listed.destructive !== true ? 'allow' : runs
        const call = { ...ruleSubjectOf(tool), arguments: {} }
        const answers = [lenient, strict].map((book) => [
          explain(book, call).decision,
          outlookFor(book, ruleSubjectOf(tool)).outlook,
        ])
        expect(answers, why).toEqual([
          [claimed, claimed],
          [runs, runs],
        ])
      }
  })

  it('is asked about, ranked and described by the same hints', async () => {
    for (const hints of everyHints) {
      const effective = expected(hints)
      const why = JSON.stringify(hints)
      const shown: unknown[] = []
      const policy = approve({ ask: (request) => (shown.push(request) > 0 ? 'allow' : 'deny') })
      const call = callOf({ hints })
      expect((await through(policy, call)).result, why).toBe(done)
      expect(shown.length, why).toBe(effective.readOnly ? 0 : 1)
      expect(describeCall(call, '').hints, why).toEqual(effective)
      const request = asked({ hints: effective })
      const { danger } = newApprovalOf(request, { seal: () => undefined } as never) // sealed arguments are not looked at here
      const rank = effective.readOnly ? 0 : effective.destructive ? 3 : effective.idempotent ? 1 : 2
      expect(danger, why).toBe(rank)
      const words = approvalQuestion({ ...request, signal: new AbortController().signal })
      expect([words.includes('only read'), words.includes('delete or overwrite')], why).toEqual([danger === 0, danger === 3])
    }
  })

  it('is shown by the same answer in the list and on the page, with red for nothing but what its server calls destructive', () => {
    for (const claims of everyHints) {
      const why = JSON.stringify(claims)
      const { readOnly, destructive } = expected(claims)
      expect(claimsText(remoteOf(claims), true).startsWith('reads'), why).toBe(readOnly)
      expect(effectOf(claims).name === 'reads', why).toBe(readOnly)
      const words = claimTexts(claims)
      expect(
        words.some((one) => one.words === 'May destroy or overwrite'),
        why,
      ).toBe(destructive)
      const isRed = claims.destructive === true && !readOnly
      expect([words.some(({ tone }) => tone === 'danger'), effectOf(claims).tone === 'danger'], why).toEqual([isRed, isRed])
    }
  })

  it('that is not there keeps its server back wherever what the operator says of it could make somebody be asked', () => {
    const order = names.map((name) => (name === 'readOnly' || name === 'idempotent' ? 'false' : 'true'))
    const isWorse = (one: Required<Hints>, other: Required<Hints>) =>
      names.some((name, at) => one[name] !== other[name] && String(one[name]) === order[at])
    const runs = (claims: Hints, said: Hints, trusted: boolean) =>
      lenient.fallback({ ...ruleSubjectOf(exposed(claims, said, trusted)), hints: believed(claims, said, trusted), tags: [] })
    for (const trusted of [true, false])
      for (const said of everyHints) {
        const restricts = everyHints.some(
          (claims) =>
            isWorse(believed(claims, said, trusted), believed(claims, {}, trusted)) ||
            (runs(claims, said, trusted) === 'ask' && runs(claims, {}, trusted) === 'allow'),
        )
        const [missing] = missingInServer({ config: config(trusted, said), tools: [] })
        const held = (missing?.holds.length ?? 0) > 0
        expect(held || !restricts, JSON.stringify({ said, trusted })).toBe(true)
      }
  })
})
