import type { LinkError } from '../../../peer/link.js'
import type { Body } from './body.js'
import type { HttpMethod, ReceivedHeaders } from './carrier.js'
import type { Lane } from './lane.js'

/** What to ask a server for. */
export type Task = {
  readonly lane: Lane
  readonly httpMethod: HttpMethod
  readonly headers: string[]
  /** The headers name one. */
  readonly hasSession: boolean
  /** The target's own if not said. */
  readonly path?: string | undefined
  readonly text?: string
  /** Of the message in the text. */
  readonly id?: number | undefined
  readonly method?: string | undefined
}

/** Whom a task is done for. */
export interface Sender {
  /** A status that says yes. Gives what reads the body, or throws a LinkError. */
  answered(status: number, headers: ReceivedHeaders): Body
  /** Nothing more will come. */
  failed(why: LinkError): void
}
