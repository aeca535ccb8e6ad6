import { TransportError } from '../../../../peer/client-transport.js'
import { bareMediaType } from '../../media-type.js'
import { headerOf, type ReceivedHeaders } from '../http-clients/http-client.js'

/** Reads the body of an answer. Both throw a TransportError when it cannot be taken. */
export interface ResponseBody {
  push(chunk: Uint8Array): void
  end(): void
}

/** A body of which nobody wants to know anything. */
export const ignoredBody: ResponseBody = { push: () => {}, end: () => {} }

/** The type of a body, without its parameters; throws where the body comes in an encoding that nobody asked for. */
export function mediaTypeOf(headers: ReceivedHeaders): string {
  const encoding = headerOf(headers, 'content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new TransportError('garbage', 'The answer is encoded in a way that was not asked for', { sent: true })
  }
  return bareMediaType(headerOf(headers, 'content-type'))
}
