import { TransportError } from '../../../../peer/client-transport.js'
import type { Revision } from '../../../../revisions/revision.js'
import { eventType } from '../../media-type.js'
import type { HttpConnection } from '../http-connection.js'
import type { ResponseHandler } from '../requests/http-request.js'
import { RetryingRequest } from '../requests/retrying-request.js'
import { eventReply } from './event-reply.js'
import type { MessageReceiver, ReplyForm } from './message-receiver.js'
import { mediaTypeOf } from './response-body.js'
import type { ResumePoint } from './resume-point.js'

type ResumeContext = {
  readonly resumePoint: ResumePoint
  readonly revision: Revision | undefined
  readonly form: ReplyForm
  readonly receiver: MessageReceiver
  /** Called when the server has opened the stream. */
  readonly opened?: () => void
  readonly failed: ResponseHandler['failed']
}

/** Requests a stream of events by GET, each time after the last event that was read. */
export function streamVisits(httpConnection: HttpConnection, context: ResumeContext) {
  const { resumePoint, revision, form, receiver, opened, failed } = context
  const { sessionHeaders, random } = httpConnection
  let request: RetryingRequest | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const answered: ResponseHandler['answered'] = (status, received) => {
    if (mediaTypeOf(received) !== eventType)
      throw new TransportError('garbage', `HTTP ${status} without a stream of events`, { sent: true })
    opened?.()
    return eventReply(receiver, resumePoint, form)
  }
  const begin = (): void => {
    const headers = sessionHeaders.streams(revision, resumePoint.id)
    const hasSession = sessionHeaders.hasSession(revision)
    resumePoint.attempts++
    request = new RetryingRequest(
      httpConnection,
      { pool: 'streams', httpMethod: 'GET', headers, hasSession },
      { answered, failed },
    )
    request.begin()
  }
  return {
    begin,
    /** Begins after the wait that the server asked for, or a backoff. */
    beginLater() {
      timer = setTimeout(begin, resumePoint.wait(random))
      return timer
    },
    stop(): void {
      clearTimeout(timer)
      request?.stop()
    },
    settle: (): void => request?.settle(),
  }
}

export const isTransient = ({ code, status = 0 }: TransportError): boolean =>
  code === 'broken' || code === 'unreachable' || (code === 'status' && (status >= 500 || status === 429))

/** Attempts in a row without a new event. */
const mostVisits = 8

/** Resumes a stream that ended before the answer arrived. spec 2025-11-25, basic/transports#resumability-and-redelivery */
export function resumeReply(
  httpConnection: HttpConnection,
  { failed: lost, ...context }: Omit<ResumeContext, 'opened'>,
): ReturnType<typeof streamVisits> {
  const failed = (why: TransportError): void => {
    if (isTransient(why) && context.resumePoint.attempts < mostVisits) visits.beginLater()
    else lost(final(why))
  }
  const visits = streamVisits(httpConnection, { ...context, failed })
  visits.beginLater()
  return visits
}

/** The request itself was sent, even if reading its answer failed. */
function final(why: TransportError): TransportError {
  if (why.code === 'too-large' || why.code === 'garbage') return why
  const message = `The stream ended before the response, and could not be resumed: ${why.message}`
  return new TransportError('broken', message, { sent: true, cause: why })
}
