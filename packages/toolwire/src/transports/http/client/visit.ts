import { LinkError } from '../../../peer/link.js'
import type { Revision } from '../../../revisions/revision.js'
import type { Body } from './body.js'
import type { Bookmark } from './bookmark.js'
import type { ReceivedHeaders } from './carrier.js'
import type { Door } from './door.js'
import { Errand } from './errand.js'
import { EventReply } from './event-reply.js'
import { eventType, mediaOf } from './media.js'
import type { Recipient, ReplyForm } from './recipient.js'
import type { Sender } from './task.js'

/** How to read on where a stream was left. */
export type Reading = {
  readonly bookmark: Bookmark
  readonly revision: Revision | undefined
  readonly form: ReplyForm
  readonly recipient: Recipient
}

export type Outcome = {
  /** The server has a stream for us. */
  readonly opened?: () => void
  readonly failed: (why: LinkError) => void
}

/** Asks for a stream of events by GET, after the last one that was read. */
export function visit(door: Door, { bookmark, revision, form, recipient }: Reading, { opened, failed }: Outcome): Errand {
  const { headings } = door
  const headers = headings.streams(revision, bookmark.id)
  const answered = (status: number, received: ReceivedHeaders): Body => {
    if (mediaOf(received) !== eventType)
      throw new LinkError('garbage', `HTTP ${status} without a stream of events`, { sent: true })
    opened?.()
    return new EventReply(recipient, bookmark, form)
  }
  bookmark.visits++
  const sender: Sender = { answered, failed }
  return new Errand(door, { lane: 'news', httpMethod: 'GET', headers, hasSession: headings.hasSession(revision) }, sender)
}

/** Whether another visit may do better. */
export function isPassing({ code, status = 0 }: LinkError): boolean {
  return code === 'broken' || code === 'unreachable' || (code === 'status' && (status >= 500 || status === 429))
}
