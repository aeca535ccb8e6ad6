// Headers that repeat the body.

import type { Attempt } from '../../attempt.js'
import type { Check } from '../../check.js'
import { isObject } from '../../json.js'
import { perRequest } from '../../revisions.js'
import { headerAnnotationsIn } from '../../session/request-headers.js'
import { errorCodeOf, metaKeys, type RequestOutcome, resultOf } from '../../session/session.js'
import { enforced, missingBecause, notTried, type Verdict } from '../../verdict.js'
import { listToolsAs } from '../lifecycle/per-request.js'
import { describeReceived, responseIn, withStatus } from '../refusals.js'

const page = 'basic/transports/streamable-http'
const mismatch = -32020
const unknownName = '1900-01-01'

type Headers = Readonly<Record<string, string | undefined>>

export const headerChecks: readonly Check[] = [
  headerCheck('header-version-differs', 'MUST', {
    sentence: 'MCP-Protocol-Version that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools with the header of another edition',
    run: (attempt) => refused(attempt, { 'mcp-protocol-version': unknownName }),
  }),
  headerCheck('header-method-missing', 'MUST', {
    sentence: 'A request without Mcp-Method is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools without it',
    run: (attempt) => refused(attempt, { 'mcp-method': undefined }),
  }),
  headerCheck('header-method-differs', 'MUST', {
    sentence: 'Mcp-Method that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools with Mcp-Method: prompts/list',
    run: (attempt) => refused(attempt, { 'mcp-method': 'prompts/list' }),
  }),
  headerCheck('header-method-case', 'MUST', {
    sentence: 'The value of Mcp-Method is compared letter by letter.',
    how: 'Lists the tools with Mcp-Method: TOOLS/LIST',
    run: (attempt) => refused(attempt, { 'mcp-method': 'TOOLS/LIST' }),
  }),
  headerCheck('header-name-missing', 'MUST', {
    sentence: 'A call without Mcp-Name is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool that is not there, without it',
    run: (attempt) => refusedCall(attempt, { 'mcp-name': undefined }),
  }),
  headerCheck('header-name-differs', 'MUST', {
    sentence: 'Mcp-Name that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool that is not there, under another name',
    run: (attempt) => refusedCall(attempt, { 'mcp-name': 'another' }),
  }),
  headerCheck('header-name-broken', 'MUST', {
    sentence: 'Mcp-Name with broken base64 is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool that is not there, with half of a name in base64',
    run: (attempt) => refusedCall(attempt, { 'mcp-name': '=?base64?bm8@?=' }),
  }),
  headerCheck('header-spaces', 'SHOULD', {
    sentence: 'Spaces around the value of a header do not count.',
    how: 'Lists the tools with spaces around Mcp-Method',
    run: async (attempt) => answered(await listed(attempt, { 'mcp-method': '  tools/list  ' })),
  }),
  headerCheck('header-name-case', 'MUST', {
    sentence: 'The letters of the name of a header may be large or small.',
    how: 'Lists the tools with MCP-METHOD',
    run: async (attempt) => answered(await listed(attempt, { 'mcp-method': undefined, 'MCP-METHOD': 'tools/list' })),
  }),
  headerCheck('header-param-missing', 'MUST', {
    sentence: 'An argument that is to be repeated in a header, but is not, is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool with an x-mcp-header without the header',
    run: async (attempt) => {
      const found = (await attempt.bendable()).find(({ tool, args }) =>
        headerAnnotationsIn(tool.inputSchema).some(({ path: [name = ''] }) => name in args),
      )
      if (!found) return notTried('No tool that may be called has a required parameter with x-mcp-header')
      const session = await attempt.session()
      return isMismatch(await session.ask('tools/call', { name: String(found.tool.name), arguments: found.args }))
    },
  }),
  headerCheck('header-unknown-method', 'MUST', {
    sentence: 'A method the server does not have is answered with HTTP 404.',
    how: 'Asks for tools/nobody-knows-this',
    run: async (attempt) => withStatus(await (await attempt.session()).ask('tools/nobody-knows-this'), 404),
  }),
  headerCheck('header-meta-status', 'MUST', {
    sentence: 'A request without the capabilities of the client in its _meta is answered with HTTP 400.',
    how: 'Lists the tools without them',
    run: async (attempt) =>
      withStatus(await (await attempt.session()).ask('tools/list', {}, { meta: { [metaKeys.capabilities]: undefined } }), 400),
  }),
  headerCheck('header-version-status', 'MUST', {
    sentence: 'A version that is not spoken is answered with HTTP 400.',
    how: `Lists the tools in ${unknownName}`,
    run: async (attempt) => withStatus(await listToolsAs(await attempt.session(), unknownName), 400),
  }),
]

function headerCheck(id: string, level: Check['level'], look: Pick<Check, 'sentence' | 'how' | 'run'>): Check {
  return { id, level, revisions: [perRequest], over: 'http', page, ...look }
}

const listed = async (attempt: Attempt, headers: Headers): Promise<RequestOutcome> =>
  (await attempt.session()).ask('tools/list', {}, { headers })
const refused = async (attempt: Attempt, headers: Headers): Promise<Verdict> => isMismatch(await listed(attempt, headers))

async function refusedCall(attempt: Attempt, headers: Headers): Promise<Verdict> {
  return isMismatch(
    await (await attempt.session()).ask('tools/call', { name: 'no-tool-has-this-name', arguments: {} }, { headers }),
  )
}

function isMismatch(heard: RequestOutcome): Verdict {
  const right = heard.status === 400 && errorCodeOf(responseIn(heard)) === mismatch
  return right
    ? enforced(`HTTP 400 and ${mismatch}`)
    : missingBecause(`Wanted HTTP 400 and the error ${mismatch}; ${describeReceived(heard)}`)
}

const answered = (heard: RequestOutcome): Verdict =>
  isObject(resultOf(heard.response)) ? enforced('It was answered') : missingBecause(`Wanted a result; ${describeReceived(heard)}`)
