// Requests from foreign web pages, which a local server must refuse.

import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import type { Received } from '../../connection/connection.js'
import { between, dialects, every, since, streamable, structured } from '../../revisions.js'
import { resultOf } from '../../session/session.js'
import { enforced, missingBecause, notTried, type Verdict } from '../../verdict.js'
import { refusedAnyhow, withStatus } from '../refusals.js'

const foreignOrigin = 'https://evil.example'
const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

export const originChecks = checksOf({
  level: 'MUST',
  revisions: between(streamable, structured),
  over: 'http',
  page: 'basic/transports',
})({
  'http-origin': {
    sentence: 'A request from a web page that may not call the server is refused.',
    how: `Lists the tools with Origin: ${foreignOrigin}`,
    run: async (attempt) => withForeignOrigin(attempt, refusedAnyhow),
  },
  'http-origin-403': {
    revisions: since(dialects),
    sentence: 'A request from a web page that may not call the server is refused with HTTP 403.',
    how: `Lists the tools with Origin: ${foreignOrigin}`,
    run: async (attempt) => withForeignOrigin(attempt, (heard) => withStatus(heard, 403)),
  },
  'http-cors': {
    level: 'ADVICE',
    revisions: since(streamable),
    sentence: 'The CORS headers do not allow every web page.',
    how: `Sends OPTIONS with Origin: ${foreignOrigin}`,
    run: async (attempt) => {
      const headers = { origin: foreignOrigin, 'access-control-request-method': 'POST', 'mcp-session-id': undefined }
      const heard = await (await attempt.session()).sendRaw(undefined, { method: 'OPTIONS', headers })
      const allowed = heard.headers['access-control-allow-origin']
      return allowed === '*' || allowed === foreignOrigin
        ? missingBecause(`The server allows ${allowed}`)
        : enforced('The origin is not allowed')
    },
  },
  'http-host': {
    level: 'ADVICE',
    revisions: every,
    sentence: 'A server on this machine refuses requests that name another host.',
    how: 'Lists the tools with Host: evil.example',
    run: async (attempt) => {
      if (!isLoopbackTarget(attempt)) return notTried('The server is not on this machine')
      return refusedAnyhow(await attempt.ask(attempt.probe, {}, { headers: { host: 'evil.example' } }))
    },
  },
})

const isLoopbackTarget = ({ url }: Attempt): boolean => url !== undefined && loopback.has(url.hostname)

/** A server that is not on this machine may be meant for every web page, so a result from it proves nothing. */
async function withForeignOrigin(attempt: Attempt, judge: (heard: Received) => Verdict): Promise<Verdict> {
  const heard = await attempt.ask(attempt.probe, {}, { headers: { origin: foreignOrigin } })
  if (resultOf(heard.response) && !isLoopbackTarget(attempt))
    return notTried('A server that is not on this machine may allow every page')
  return judge(heard)
}
