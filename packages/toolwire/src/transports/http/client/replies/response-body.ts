import { TransportError } from '../../../../peer/client-transport.js'
import { bareMediaType } from '../../media-type.js'
import { headerOf, type ReceivedHeaders } from '../http-clients/http-client.js'

/**
 * Reads the body of a response. Both methods throw a TransportError, or reject with it, if the body cannot be used. The next one is
 * called after the returned promise.
 */
export interface ResponseBody {
  push(chunk: Uint8Array): void | Promise<void>
  end(): void | Promise<void>
}

export const ignoredBody: ResponseBody = { push: () => {}, end: () => {} }

/** The media type of a body, without parameters; throws if the body has an encoding that was not requested. */
export function mediaTypeOf(headers: ReceivedHeaders): string {
  const encoding = headerOf(headers, 'content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new TransportError('garbage', 'The response has a content encoding that was not requested', { sent: true })
  }
  return bareMediaType(headerOf(headers, 'content-type'))
}
