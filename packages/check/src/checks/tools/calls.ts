// Calls that name an unknown tool or none, so that no tool runs.
import type { JsonObject } from 'toolwire'
import { checksOf } from '../../check.js'
import { isObject, textOf } from '../../json.js'
import { every } from '../../revisions.js'
import { errorCodeOf, type RequestOutcome, resultOf } from '../../session/session.js'
import { enforcedIf, enforcedUnlessAny, notTried } from '../../verdict.js'
import { describeReceived, headerMismatch, refusedWith } from '../refusals.js'

const page = 'server/tools'
const unknownTool = 'no-tool-has-this-name'

export const callChecks = checksOf({ needs: 'tools', level: 'SHOULD', revisions: every, page })({
  'call-unknown-tool': {
    sentence: 'A call of an unknown tool is refused with the error -32602, not with a result.',
    how: `Calls ${unknownTool}`,
    run: async (attempt) => refusedWith(await attempt.ask('tools/call', { name: unknownTool, arguments: {} }), -32602),
  },
  'call-name-missing': {
    sentence: 'A call without the name of a tool is refused with the error -32602.',
    how: 'Calls without a name',
    run: async (attempt) => {
      const session = await attempt.session()
      return refusedWith(await session.ask('tools/call', { arguments: {} }), -32602, ...headerMismatch(session))
    },
  },
  'call-answered': {
    level: 'ADVICE',
    sentence: 'A call that fits the schema of its tool gets a result.',
    how: 'Calls each tool that may be called, with arguments made from its schema or given with --tool',
    run: async (attempt) => {
      const called = await attempt.samples()
      if (called.length === 0)
        return notTried('No tool may be called: none claims to be read-only, and none is named with --tool')
      const samples = called.filter(({ answered }) => !isExcused(answered))
      if (samples.length === 0) return notTried('Each call timed out or needs a capability that this client lacks')
      const faults = samples.filter(({ answered }) => !resultOf(answered.response))
      return enforcedUnlessAny(
        faults,
        ({ tool, answered }) => `${textOf(tool.name)}: ${describeReceived(answered)}`,
        `${samples.length} tools called`,
      )
    },
  },
  'call-failure-explained': {
    sentence: 'An error result says why the call failed.',
    how: 'Reads the results of failed calls',
    run: async (attempt) => {
      const failed = (await attempt.results()).filter(({ result }) => result.isError === true)
      if (failed.length === 0) return notTried('No call failed')
      const mute = failed.filter(({ result }) => !Array.isArray(result.content) || !result.content.some(hasWords))
      return enforcedUnlessAny(mute, ({ tool }) => `${textOf(tool.name)} gives no reason`, 'Each gives a reason')
    },
  },
})

export const floodChecks = checksOf({ needs: 'tools', level: 'MUST', revisions: every, page })({
  'call-limited': {
    sentence: 'Calls are limited: too many in a short time are refused.',
    how: 'Calls one tool many times at once',
    run: async (attempt) => {
      const { flood } = attempt.options
      const [sample] = await attempt.samples()
      if (!flood) return notTried('The number of calls is not given with --flood')
      if (!sample) return notTried('No tool may be called')
      const session = await attempt.newSession()
      const params = { name: textOf(sample.tool.name), arguments: sample.args }
      const all = await Promise.all(
        Array.from({ length: flood }, () =>
          session.ask('tools/call', params, { schema: sample.tool.inputSchema, mayBeLimited: true }),
        ),
      )
      const refused = all.filter(
        ({ response, status }) => status === 429 || !response || 'error' in response || saysFailed(response),
      )
      return enforcedIf(refused.length > 0, `${refused.length} of ${flood} were refused`, `All ${flood} were carried out`)
    },
  },
})

/** A tool may take any time, and must refuse a client that lacks a capability it needs. */
const isExcused = ({ response, end }: RequestOutcome): boolean =>
  response ? errorCodeOf(response) === lacksCapability : end === 'too late'
// spec 2026-07-28, basic#per-request-protocol-fields
const lacksCapability = -32021

const hasWords = (block: unknown): boolean => isWords(block) && block.text.trim() !== ''
const isWords = (block: unknown): block is { text: string } =>
  typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
const saysFailed = ({ result }: JsonObject): boolean => isObject(result) && result.isError === true
