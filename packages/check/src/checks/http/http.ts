import { checksOf } from '../../check.js'
import { between, dialects, since, streamable, structured } from '../../revisions.js'
import { enforced, enforcedIf, missingBecause, notTried } from '../../verdict.js'
import { malformedMessages } from '../messages/malformed.js'
import { refusedAnyhow, withStatus } from '../refusals.js'

const sessions = between(streamable, dialects)

export const httpChecks = checksOf({ level: 'ADVICE', revisions: since(streamable), over: 'http', page: 'basic/transports' })({
  'http-answer-type': {
    level: 'MUST',
    sentence: 'A request is answered with JSON or with a stream of events.',
    how: 'Lists the tools',
    run: async (attempt) => {
      const type = (await attempt.ask(attempt.probe)).headers['content-type'] ?? ''
      return enforcedIf(/^(application\/json|text\/event-stream)/.test(type), type, `The type is "${type}"`)
    },
  },
  'http-notification': {
    level: 'MUST',
    sentence: 'An accepted notification is answered with HTTP 202 and no body.',
    how: 'Cancels a request that was never sent',
    run: async (attempt) => {
      const heard = await (await attempt.session()).notify('notifications/cancelled', { requestId: 'never-was' })
      // spec 2025-11-25, basic/transports#sending-messages-to-the-server: a server that cannot accept a notification refuses it
      if (heard.status !== undefined && heard.status >= 400) return notTried('The notification was not accepted')
      if (heard.status === 202 && heard.text === '') return enforced('HTTP 202')
      return missingBecause(`Expected HTTP 202 without a body; got HTTP ${heard.status}`)
    },
  },
  'http-content-type': {
    sentence: 'A body that is not sent as JSON is refused.',
    how: 'Lists the tools with Content-Type: text/plain',
    run: async (attempt) => refusedAnyhow(await attempt.ask(attempt.probe, {}, { headers: { 'content-type': 'text/plain' } })),
  },
  'http-accept': {
    sentence: 'A client that accepts neither JSON nor events is refused.',
    how: 'Lists the tools with Accept: image/png',
    run: async (attempt) => refusedAnyhow(await attempt.ask(attempt.probe, {}, { headers: { accept: 'image/png' } })),
  },
  'http-parse-status': {
    sentence: 'A body that is not JSON is answered with HTTP 400.',
    how: 'Posts an opening brace and three letters',
    run: async (attempt) => withStatus(await malformedMessages(await attempt.session()), 400),
  },
  'http-error-status': {
    needs: 'tools',
    revisions: sessions,
    sentence: 'An error of a method has HTTP 200; other statuses are for the transport.',
    how: 'Calls an unknown tool',
    run: async (attempt) => withStatus(await attempt.ask('tools/call', { name: 'no-tool-has-this-name', arguments: {} }), 200),
  },
  'http-version': {
    level: 'MUST',
    revisions: between(structured, dialects),
    sentence: 'An unsupported version in MCP-Protocol-Version is refused with HTTP 400.',
    how: 'Lists the tools with MCP-Protocol-Version: 1.0',
    run: async (attempt) => withStatus(await attempt.ask(attempt.probe, {}, { headers: { 'mcp-protocol-version': '1.0' } }), 400),
  },
})
