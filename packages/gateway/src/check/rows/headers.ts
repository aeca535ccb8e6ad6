// Headers that repeat the body.
import { stateless } from '../editions.js'
import { isObject } from '../json.js'
import { marksIn } from '../request-headers.js'
import type { Row } from '../row.js'
import { type Answered, codeOf, metaKeys, resultOf } from '../talk.js'
import type { Trial } from '../trial.js'
import { enforced, missing, notTried, type Verdict } from '../verdict.js'
import { answerIn, outcomeOf, withStatus } from './refused.js'
import { listIn } from './self-describing.js'

const page = 'basic/transports/streamable-http'
const mismatch = -32020
const nobodys = '1900-01-01'

type Headers = Readonly<Record<string, string | undefined>>

export const headerRows: readonly Row[] = [
  row('header-version-differs', 'MUST', {
    sentence: 'MCP-Protocol-Version that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools with the header of another edition',
    run: (trial) => refused(trial, { 'mcp-protocol-version': nobodys }),
  }),
  row('header-method-missing', 'MUST', {
    sentence: 'A request without Mcp-Method is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools without it',
    run: (trial) => refused(trial, { 'mcp-method': undefined }),
  }),
  row('header-method-differs', 'MUST', {
    sentence: 'Mcp-Method that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Lists the tools with Mcp-Method: prompts/list',
    run: (trial) => refused(trial, { 'mcp-method': 'prompts/list' }),
  }),
  row('header-method-case', 'MUST', {
    sentence: 'The value of Mcp-Method is compared letter by letter.',
    how: 'Lists the tools with Mcp-Method: TOOLS/LIST',
    run: (trial) => refused(trial, { 'mcp-method': 'TOOLS/LIST' }),
  }),
  row('header-name-missing', 'MUST', {
    sentence: 'A call without Mcp-Name is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool that is not there, without it',
    run: (trial) => refusedCall(trial, { 'mcp-name': undefined }),
  }),
  row('header-name-differs', 'MUST', {
    sentence: 'Mcp-Name that differs from the body is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool that is not there, under another name',
    run: (trial) => refusedCall(trial, { 'mcp-name': 'another' }),
  }),
  row('header-name-broken', 'MUST', {
    sentence: 'Mcp-Name with broken base64 is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool that is not there, with half of a name in base64',
    run: (trial) => refusedCall(trial, { 'mcp-name': '=?base64?bm8@?=' }),
  }),
  row('header-spaces', 'SHOULD', {
    sentence: 'Spaces around the value of a header do not count.',
    how: 'Lists the tools with spaces around Mcp-Method',
    run: async (trial) => answered(await listed(trial, { 'mcp-method': '  tools/list  ' })),
  }),
  row('header-name-case', 'MUST', {
    sentence: 'The letters of the name of a header may be large or small.',
    how: 'Lists the tools with MCP-METHOD',
    run: async (trial) => answered(await listed(trial, { 'mcp-method': undefined, 'MCP-METHOD': 'tools/list' })),
  }),
  row('header-param-missing', 'MUST', {
    sentence: 'An argument that is to be repeated in a header, but is not, is refused with HTTP 400 and the error -32020.',
    how: 'Calls a tool with an x-mcp-header without the header',
    run: async (trial) => {
      const found = (await trial.bendable()).find(({ tool, args }) =>
        marksIn(tool.inputSchema).some(({ path: [name = ''] }) => name in args),
      )
      if (!found) return notTried('No tool that may be called has a required parameter with x-mcp-header')
      const talk = await trial.talk()
      return isMismatch(await talk.ask('tools/call', { name: String(found.tool.name), arguments: found.args }))
    },
  }),
  row('header-unknown-method', 'MUST', {
    sentence: 'A method the server does not have is answered with HTTP 404.',
    how: 'Asks for tools/nobody-knows-this',
    run: async (trial) => withStatus(await (await trial.talk()).ask('tools/nobody-knows-this'), 404),
  }),
  row('header-meta-status', 'MUST', {
    sentence: 'A request without the capabilities of the client in its _meta is answered with HTTP 400.',
    how: 'Lists the tools without them',
    run: async (trial) =>
      withStatus(await (await trial.talk()).ask('tools/list', {}, { meta: { [metaKeys.capabilities]: undefined } }), 400),
  }),
  row('header-version-status', 'MUST', {
    sentence: 'A version that is not spoken is answered with HTTP 400.',
    how: `Lists the tools in ${nobodys}`,
    run: async (trial) => withStatus(await listIn(await trial.talk(), nobodys), 400),
  }),
]

function row(id: string, level: Row['level'], look: Pick<Row, 'sentence' | 'how' | 'run'>): Row {
  return { id, level, editions: [stateless], over: 'http', page, ...look }
}

const listed = async (trial: Trial, headers: Headers): Promise<Answered> =>
  (await trial.talk()).ask('tools/list', {}, { headers })
const refused = async (trial: Trial, headers: Headers): Promise<Verdict> => isMismatch(await listed(trial, headers))

async function refusedCall(trial: Trial, headers: Headers): Promise<Verdict> {
  return isMismatch(await (await trial.talk()).ask('tools/call', { name: 'no-tool-has-this-name', arguments: {} }, { headers }))
}

function isMismatch(heard: Answered): Verdict {
  const right = heard.status === 400 && codeOf(answerIn(heard)) === mismatch
  return right ? enforced(`HTTP 400 and ${mismatch}`) : missing(`Wanted HTTP 400 and the error ${mismatch}; ${outcomeOf(heard)}`)
}

const answered = (heard: Answered): Verdict =>
  isObject(resultOf(heard.response)) ? enforced('It was answered') : missing(`Wanted a result; ${outcomeOf(heard)}`)
