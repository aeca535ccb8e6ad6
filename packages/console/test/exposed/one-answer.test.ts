// The effective hints of a tool are the same everywhere: in rules, approvals, the gateway, its command line and the page.
// The tests try every combination of the claims of a server, the hints of the operator, and trust in the server.

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

/** Each of the four hints as true, false and missing. */
const everyHints: readonly Hints[] = names.reduce<readonly Hints[]>(
  (all, name) => all.flatMap((hints) => [hints, { ...hints, [name]: true }, { ...hints, [name]: false }]),
  [{}],
)

/** The hints by the specification: a missing hint has its worst value, and a read-only tool has no other hints. */
function expected({ readOnly = false, destructive = true, idempotent = false, openWorld = true }: Hints): Required<Hints> {
  if (readOnly) return { readOnly, destructive: false, idempotent: true, openWorld }
  return { readOnly, destructive, idempotent, openWorld }
}

/** The effective hints: those of the operator, then of a trusted server. A tool that the operator calls destructive is not read-only. */
function believed(claims: Hints, configured: Hints, trusted: boolean): Required<Hints> {
  const from = trusted ? claims : {}
  return expected({ ...from, ...(configured.destructive === true && { readOnly: false }), ...configured })
}

const config = (trusted: boolean, configured: Hints): UpstreamConfig =>
  upstreamConfig('files', http('http://127.0.0.1:1/mcp'), { trusted, tools: { act: { hints: configured } } })

/** The tool as the gateway exposes it, with its listed annotations. */
function exposed(claims: Hints, configured: Hints, trusted: boolean): ReadyTool {
  const annotations = Object.fromEntries(Object.entries(claims).map(([hint, holds]) => [`${hint}Hint`, holds]))
  const definition = { name: 'act', inputSchema: { type: 'object' }, annotations }
  const remote = { name: 'act', inputSchema: definition.inputSchema, claims: sanitizing.claimsOf(annotations), definition }
  // The function reads nothing else of a tool.
  const tool = exposedToolOf(remote as unknown as RemoteTool, definition, config(trusted, configured))
  if (!tool) throw new Error('It is not hidden')
  const { name, listed, hints } = tool
  const about = { server: 'files', ownName: 'act', hints, run: () => 'done' }
  return { name, listed, definition: about, checkInput: (value) => ({ value }), checkOutput: undefined }
}

const lenient = new Rulebook({ rules: [] }, { readOnlyClaims: 'run' })
const strict = new Rulebook({ rules: [] })
const remoteOf = (claims: Hints) => ({ claims }) as unknown as RemoteTool // the rules read nothing else

describe('a tool', () => {
  it('has the worst value for each missing hint, in each of 81 combinations', () => {
    expect(everyHints).toHaveLength(81)
    for (const hints of everyHints) expect(effectiveHints(hints), JSON.stringify(hints)).toEqual(expected(hints))
  })

  it.each([
    true,
    false,
  ])('has one answer everywhere, for all that its server and the operator may say; trusted: %s', (trusted) => {
    for (const claims of everyHints)
      for (const configured of everyHints) {
        const why = JSON.stringify({ claims, configured, trusted })
        const tool = exposed(claims, configured, trusted)
        const hints = believed(claims, configured, trusted)
        const listed = sanitizing.claimsOf(tool.listed.annotations)
        expect(tool.definition.hints, why).toEqual(hints)
        // A client that trusts the gateway derives the same hints from the listed annotations, as far as a trusted party gave them.
        if (trusted) expect(effectiveHints(listed), why).toEqual(hints)
        if (configured.readOnly !== undefined || configured.destructive)
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

  it('has the same hints in its approval, its danger level and its description', async () => {
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
      const { danger } = newApprovalOf(request, { seal: () => undefined } as never) // the sealed arguments do not matter here
      const rank = effective.readOnly ? 0 : effective.destructive ? 3 : effective.idempotent ? 1 : 2
      expect(danger, why).toBe(rank)
      const words = approvalQuestion({ ...request, signal: new AbortController().signal })
      expect([words.includes('only read'), words.includes('delete or overwrite')], why).toEqual([danger === 0, danger === 3])
    }
  })

  it('has the same claims in the list and on the page, in red only if its server calls it destructive', () => {
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

  it('that is missing holds its server back if the hints of the operator could make a call need approval', () => {
    const order = names.map((name) => (name === 'readOnly' || name === 'idempotent' ? 'false' : 'true'))
    const isWorse = (one: Required<Hints>, other: Required<Hints>) =>
      names.some((name, at) => one[name] !== other[name] && String(one[name]) === order[at])
    const runs = (claims: Hints, configured: Hints, trusted: boolean) =>
      lenient.fallback({
        ...ruleSubjectOf(exposed(claims, configured, trusted)),
        hints: believed(claims, configured, trusted),
        tags: [],
      })
    for (const trusted of [true, false])
      for (const configured of everyHints) {
        const restricts = everyHints.some(
          (claims) =>
            isWorse(believed(claims, configured, trusted), believed(claims, {}, trusted)) ||
            (runs(claims, configured, trusted) === 'ask' && runs(claims, {}, trusted) === 'allow'),
        )
        const [missing] = missingInServer({ config: config(trusted, configured), tools: [] })
        const held = (missing?.holds.length ?? 0) > 0
        expect(held || !restricts, JSON.stringify({ configured, trusted })).toBe(true)
      }
  })
})
