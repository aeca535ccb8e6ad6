// Calls that name an unknown tool or none, so that no tool runs.
import { checksOf } from '../../check.js'
import { textOf } from '../../json.js'
import { every } from '../../revisions.js'
import { errorCodeOf, isRateLimited, type RequestOutcome, resultOf } from '../../session/session.js'
import { enforced, enforcedUnlessAny, missingBecause, notTried } from '../../verdict.js'
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
      const samples = await attempt.samples()
      const sample = samples.find(({ answered }) => isDone(answered)) ?? samples[0]
      if (!flood) return notTried('The number of calls is not given with --flood')
      if (!sample) return notTried('No tool may be called')
      const session = await attempt.newSession()
      const params = { name: textOf(sample.tool.name), arguments: sample.args }
      const all = await Promise.all(
        Array.from({ length: flood }, () =>
          session.ask('tools/call', params, { schema: sample.tool.inputSchema, mayBeLimited: true }),
        ),
      )
      // A call that fails anyway shows no limit.
      const fails = !isDone(sample.answered)
      const refused = all.filter((heard) => isRateLimited(heard) || (!fails && heard.response && !isDone(heard)))
      if (refused.length > 0) return enforced(`${refused.length} of ${flood} were refused`)
      const done = all.filter(isDone)
      if (done.length === flood) return missingBecause(`All ${flood} were carried out`)
      return notTried(`${flood - done.length} of ${flood} calls failed or were not answered, but not for a limit`)
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

const isDone = ({ response }: RequestOutcome): boolean => {
  const result = resultOf(response)
  return result !== undefined && result.isError !== true
}
