import { TransportError } from '../../../../peer/client-transport.js'
import type { Revision } from '../../../../revisions/revision.js'
import { eventType } from '../../media-type.js'
import type { ReceivedHeaders } from '../http-clients/http-client.js'
import type { HttpConnection } from '../http-connection.js'
import type { ResponseHandler } from '../requests/http-request.js'
import { RetryingRequest } from '../requests/retrying-request.js'
import { EventReply } from './event-reply.js'
import type { MessageReceiver, ReplyForm } from './message-receiver.js'
import { mediaTypeOf } from './read-media-type.js'
import type { ResponseBody } from './response-body.js'
import type { ResumePoint } from './resume-point.js'

/** How to read on where a stream was left. */
export type ResumeContext = {
  readonly bookmark: ResumePoint
  readonly revision: Revision | undefined
  readonly form: ReplyForm
  readonly recipient: MessageReceiver
}

type StreamHandlers = {
  /** The server has a stream for us. */
  readonly opened?: () => void
  readonly failed: (why: TransportError) => void
}

/** Asks for a stream of events by GET, after the last one that was read. */
export function openEventStream(
  httpConnection: HttpConnection,
  { bookmark: resumePoint, revision, form, recipient }: ResumeContext,
  { opened, failed }: StreamHandlers,
): RetryingRequest {
  const { sessionHeaders } = httpConnection
  const headers = sessionHeaders.streams(revision, resumePoint.id)
  const answered = (status: number, received: ReceivedHeaders): ResponseBody => {
    if (mediaTypeOf(received) !== eventType)
      throw new TransportError('garbage', `HTTP ${status} without a stream of events`, { sent: true })
    opened?.()
    return new EventReply(recipient, resumePoint, form)
  }
  resumePoint.attempts++
  const sender: ResponseHandler = { answered, failed }
  return new RetryingRequest(
    httpConnection,
    { pool: 'news', httpMethod: 'GET', headers, hasSession: sessionHeaders.hasSession(revision) },
    sender,
  )
}

/** Whether another visit may do better. */
export function isTransient({ code, status = 0 }: TransportError): boolean {
  return code === 'broken' || code === 'unreachable' || (code === 'status' && (status >= 500 || status === 429))
}
