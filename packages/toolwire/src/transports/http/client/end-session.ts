import { withDeadline } from '../../../bounds/deadline.js'
import type { Revision } from '../../../revisions/revision.js'
import type { HttpConnection } from './http-connection.js'
import { ignoredBody } from './replies/response-body.js'
import { RetryingRequest } from './requests/retrying-request.js'

const patienceMs = 2_000

/**
 * Tells the server that the session is over. Servers that do not let clients end sessions answer with 405, and others may be gone.
 * spec 2025-11-25, basic/transports#session-management
 */
export function endSession(httpConnection: HttpConnection, revision: Revision | undefined): Promise<void> {
  const { sessionHeaders } = httpConnection
  if (!sessionHeaders.hasSession(revision)) return Promise.resolve()
  const task = { pool: 'control', httpMethod: 'DELETE', headers: sessionHeaders.ends(revision), hasSession: true } as const
  let request: RetryingRequest | undefined
  const said = new Promise<void>((resolve) => {
    const answered = () => {
      resolve()
      return ignoredBody
    }
    request = new RetryingRequest(httpConnection, task, { answered, failed: () => resolve() })
    request.begin()
  })
  return withDeadline(patienceMs, said, () => request?.stop())
}
