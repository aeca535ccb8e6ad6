// Refused requests to the console and the management API, for the audit log: they may be an attack.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RecordedAction } from '../store/audit/record-action.js'

/** The record of a refused request; undefined if the request was allowed. */
export function refusedAction(req: IncomingMessage, res: ServerResponse, by = 'unknown'): RecordedAction | undefined {
  const { statusCode } = res
  if (statusCode !== 401 && statusCode !== 403) return undefined
  // The query may contain secrets, so only the path is recorded, and no part of body or headers.
  const path = (req.url ?? '/').split('?', 1)[0]?.slice(0, longest) ?? '/'
  const from = req.socket.remoteAddress ?? 'unknown'
  return { by, act: 'refuse-request', about: { method: req.method ?? '', path, status: statusCode, from }, refused: true }
}

const longest = 120
