// Progress of the sample calls, each of which has its own token.
import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import { isObject, textOf } from '../../json.js'
import { every } from '../../revisions.js'
import { type ProgressReport, progressMethod, tokenText } from '../../session/progress-log.js'
import { resultOf } from '../../session/session.js'
import { enforcedIf, enforcedUnlessAny, notTried } from '../../verdict.js'

export const progressChecks = checksOf({ needs: 'tools', level: 'MUST', revisions: every, page: 'basic/utilities/progress' })({
  'progress-increases': {
    sentence: 'The progress of a request increases with each report.',
    how: 'Reads the progress of the sample calls',
    run: async (attempt) => {
      const reports = await reportsOf(attempt)
      if (reports.length === 0) return notTried('No call reported progress')
      const faults = tokensOf(reports).filter((token) => !increases(reports.filter((one) => one.token === token)))
      return enforcedUnlessAny(faults, (token) => `The progress of ${token} does not increase`, `${reports.length} reports`)
    },
  },
  'progress-token': {
    sentence: 'Progress is reported only for requests that asked for it, with their token.',
    how: 'Compares the tokens received with the tokens sent',
    run: async (attempt) => {
      const reports = await reportsOf(attempt)
      if (reports.length === 0) return notTried('No call reported progress')
      const ours = new Set((await attempt.samples()).map(({ token }) => tokenText(token)))
      const strange = tokensOf(reports).filter((token) => !ours.has(token))
      return enforcedUnlessAny(strange, (token) => `The token ${token} was never sent`, 'Each token was sent')
    },
  },
  'progress-unasked': {
    sentence: 'A request without a token gets no progress.',
    how: 'Calls a tool that reports progress again, without a token',
    run: async (attempt) => {
      const [report] = await reportsOf(attempt)
      const sample = (await attempt.samples()).find(({ token }) => tokenText(token) === report?.token)
      if (!sample) return notTried('No call reported progress')
      const session = await attempt.session()
      const params = { name: textOf(sample.tool.name), arguments: sample.args }
      const again = await session.ask('tools/call', params, { schema: sample.tool.inputSchema })
      // A sample call that is still running may report its own progress meanwhile.
      const asked = new Set((await attempt.samples()).map(({ token }): unknown => token))
      const unasked = again.messages.filter(
        (one) => one.method === progressMethod && !(isObject(one.params) && asked.has(one.params.progressToken)),
      )
      return enforcedIf(unasked.length === 0, 'No progress came', `${unasked.length} reports came`)
    },
  },
  'progress-ends': {
    sentence: 'No progress is reported after the response.',
    how: 'Reads the messages after the responses to the sample calls',
    run: async (attempt) => {
      const samples = (await attempt.samples()).filter(({ answered }) => resultOf(answered.response))
      if (samples.length === 0) return notTried('No call gave a result')
      const late = samples.filter(({ token }) =>
        attempt.reports.some((report) => report.isLate && report.token === tokenText(token)),
      )
      return enforcedUnlessAny(late, ({ tool }) => `${textOf(tool.name)} still reported progress`, 'No progress came')
    },
  },
})

async function reportsOf(attempt: Attempt): Promise<readonly ProgressReport[]> {
  await attempt.samples()
  return attempt.reports
}

const tokensOf = (reports: readonly ProgressReport[]) => [...new Set(reports.map(({ token }) => token))]

function increases(reports: readonly ProgressReport[]): boolean {
  return reports.every(({ progress }, at) => {
    const before = reports[at - 1]?.progress
    return progress !== undefined && (before === undefined || progress > before)
  })
}
