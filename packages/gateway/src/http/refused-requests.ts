// Requests to the console and the management API that were turned away: somebody may be trying.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RecordedAction } from '../store/audit/record-action.js'

/** The record of a request, once it was answered; undefined where it was let in. */
export function refusedAction(req: IncomingMessage, res: ServerResponse, by = 'unknown'): RecordedAction | undefined {
  const { statusCode } = res
  if (statusCode !== 401 && statusCode !== 403) return undefined
  // What stands behind the question mark may be a secret, and nothing of a body or a header is kept.
  const path = (req.url ?? '/').split('?', 1)[0]?.slice(0, longest) ?? '/'
  const from = req.socket.remoteAddress ?? 'unknown'
  return { by, act: 'refuse-request', about: { method: req.method ?? '', path, status: statusCode, from }, refused: true }
}

const longest = 120
