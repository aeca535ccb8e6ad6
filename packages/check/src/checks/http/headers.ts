// Headers that repeat the body.

import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import { isObject, textOf } from '../../json.js'
import { perRequest } from '../../revisions.js'
import { paramHeaders } from '../../session/request-headers.js'
import { errorCodeOf, metaKeys, type RequestOutcome, resultOf } from '../../session/session.js'
import { enforcedIf, notTried, type Verdict } from '../../verdict.js'
import { requestAs } from '../lifecycle/per-request.js'
import { describeReceived, responseIn, withStatus } from '../refusals.js'

const mismatch = -32020
const unknownName = '1900-01-01'

type Headers = Readonly<Record<string, string | undefined>>

export const headerChecks = checksOf({
  level: 'MUST',
  revisions: [perRequest],
  over: 'http',
  page: 'basic/transports/streamable-http',
})({
  'header-version-differs': {
    sentence: 'An MCP-Protocol-Version that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools with the header of another revision',
    run: (attempt) => refused(attempt, { 'mcp-protocol-version': unknownName }),
  },
  'header-method-missing': {
    sentence: 'A request without Mcp-Method is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools without this header',
    run: (attempt) => refused(attempt, { 'mcp-method': undefined }),
  },
  'header-method-differs': {
    sentence: 'An Mcp-Method that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools with Mcp-Method: prompts/list',
    run: (attempt) => refused(attempt, { 'mcp-method': attempt.probe === 'prompts/list' ? 'resources/list' : 'prompts/list' }),
  },
  'header-method-case': {
    sentence: 'The value of Mcp-Method is case-sensitive.',
    how: 'Lists the tools with Mcp-Method: TOOLS/LIST',
    run: (attempt) => refused(attempt, { 'mcp-method': attempt.probe.toUpperCase() }),
  },
  'header-name-missing': {
    needs: 'tools',
    sentence: 'A call without Mcp-Name is refused with HTTP 400 and the error -32020.',
    how: 'Calls an unknown tool without this header',
    run: (attempt) => refusedCall(attempt, { 'mcp-name': undefined }),
  },
  'header-name-differs': {
    needs: 'tools',
    sentence: 'An Mcp-Name that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Calls an unknown tool under another name',
    run: (attempt) => refusedCall(attempt, { 'mcp-name': 'another' }),
  },
  'header-name-broken': {
    needs: 'tools',
    sentence: 'An Mcp-Name with broken base64 is refused with HTTP 400 and the error -32020.',
    how: 'Calls an unknown tool with half of a name in base64',
    run: (attempt) => refusedCall(attempt, { 'mcp-name': '=?base64?bm8@?=' }),
  },
  'header-spaces': {
    level: 'SHOULD',
    sentence: 'Spaces around the value of a header are ignored.',
    how: 'Lists the tools with spaces around Mcp-Method',
    run: async (attempt) => answered(await probed(attempt, { 'mcp-method': `  ${attempt.probe}  ` })),
  },
  'header-name-case': {
    sentence: 'The names of headers are case-insensitive.',
    how: 'Lists the tools with MCP-METHOD',
    run: async (attempt) => answered(await probed(attempt, { 'mcp-method': undefined, 'MCP-METHOD': attempt.probe })),
  },
  'header-param-missing': {
    needs: 'tools',
    sentence: 'A call without the required header of an argument is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool that has an x-mcp-header, without that header',
    run: async (attempt) => {
      const callable = await attempt.freelyCallable()
      const found = callable.find(({ tool, args }) => Object.keys(paramHeaders(tool.inputSchema, args)).length > 0)
      if (!found) return notTried('No tool that may be called has a required parameter with x-mcp-header')
      const session = await attempt.session()
      return isMismatch(await session.ask('tools/call', { name: textOf(found.tool.name), arguments: found.args }))
    },
  },
  'header-unknown-method': {
    sentence: 'An unknown method is answered with HTTP 404.',
    how: 'Requests tools/nobody-knows-this',
    run: async (attempt) => withStatus(await attempt.ask('tools/nobody-knows-this'), 404),
  },
  'header-meta-status': {
    sentence: 'A request without the capabilities of the client in its _meta is answered with HTTP 400.',
    how: 'Lists the tools without these capabilities',
    run: async (attempt) =>
      withStatus(await attempt.ask(attempt.probe, {}, { meta: { [metaKeys.capabilities]: undefined } }), 400),
  },
  'header-version-status': {
    sentence: 'An unsupported version is answered with HTTP 400.',
    how: `Lists the tools in ${unknownName}`,
    run: async (attempt) => withStatus(await requestAs(await attempt.session(), unknownName), 400),
  },
})

const probed = (attempt: Attempt, headers: Headers): Promise<RequestOutcome> => attempt.ask(attempt.probe, {}, { headers })
const refused = async (attempt: Attempt, headers: Headers): Promise<Verdict> => isMismatch(await probed(attempt, headers))

async function refusedCall(attempt: Attempt, headers: Headers): Promise<Verdict> {
  return isMismatch(await attempt.ask('tools/call', { name: 'no-tool-has-this-name', arguments: {} }, { headers }))
}

function isMismatch(heard: RequestOutcome): Verdict {
  const right = heard.status === 400 && errorCodeOf(responseIn(heard)) === mismatch
  return enforcedIf(right, `HTTP 400 and ${mismatch}`, `Expected HTTP 400 and the error ${mismatch}; ${describeReceived(heard)}`)
}

const answered = (heard: RequestOutcome): Verdict =>
  enforcedIf(isObject(resultOf(heard.response)), 'The request was answered', `Expected a result; ${describeReceived(heard)}`)
