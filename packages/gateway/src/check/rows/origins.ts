// Web pages that reach for a server they should not.
import { between, dialects, every, since, streamable, structured } from '../editions.js'
import type { Row } from '../row.js'
import { resultOf } from '../talk.js'
import type { Trial } from '../trial.js'
import { enforced, missing, notTried, type Verdict } from '../verdict.js'
import type { Heard } from '../wire/wire.js'
import { refusedSomehow, withStatus } from './refused.js'

const page = 'basic/transports'
const evil = 'https://evil.example'
const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

export const originRows: readonly Row[] = [
  {
    id: 'http-origin',
    level: 'MUST',
    editions: between(streamable, structured),
    over: 'http',
    page,
    sentence: 'A request from a web page that may not call the server is refused.',
    how: `Lists the tools with Origin: ${evil}`,
    run: async (trial) => toEvil(trial, refusedSomehow),
  },
  {
    id: 'http-origin-403',
    level: 'MUST',
    editions: since(dialects),
    over: 'http',
    page,
    sentence: 'A request from a web page that may not call the server is refused with HTTP 403.',
    how: `Lists the tools with Origin: ${evil}`,
    run: async (trial) => toEvil(trial, (heard) => withStatus(heard, 403)),
  },
  {
    id: 'http-cors',
    level: 'ADVICE',
    editions: since(streamable),
    over: 'http',
    page,
    sentence: 'A browser is not told that any page may call the server.',
    how: `Asks with OPTIONS on behalf of ${evil}`,
    run: async (trial) => {
      const headers = { origin: evil, 'access-control-request-method': 'POST', 'mcp-session-id': undefined }
      const heard = await (await trial.talk()).say(undefined, { method: 'OPTIONS', headers })
      const allowed = heard.headers['access-control-allow-origin']
      return allowed === '*' || allowed === evil ? missing(`It is told so: ${allowed}`) : enforced('It is not')
    },
  },
  {
    id: 'http-host',
    level: 'ADVICE',
    editions: every,
    over: 'http',
    page,
    sentence: 'A server on this machine refuses requests that name another host.',
    how: 'Lists the tools with Host: evil.example',
    run: async (trial) => {
      if (!isHere(trial)) return notTried('The server is not on this machine')
      return refusedSomehow(await (await trial.talk()).ask('tools/list', {}, { headers: { host: 'evil.example' } }))
    },
  },
]

const isHere = ({ url }: Trial): boolean => url !== undefined && loopback.has(url.hostname)

/** Somewhere else it may be meant for every page there is. */
async function toEvil(trial: Trial, judge: (heard: Heard) => Verdict): Promise<Verdict> {
  const heard = await (await trial.talk()).ask('tools/list', {}, { headers: { origin: evil } })
  if (resultOf(heard.response) && !isHere(trial)) return notTried('A server that is not on this machine may allow every page')
  return judge(heard)
}
