import { TransportError } from '../../../../peer/client-transport.js'
import { headerOf, type ReceivedHeaders } from '../http-clients/http-client.js'

export const jsonType = 'application/json'
export const eventType = 'text/event-stream'

/** The type of a body, without its parameters; throws where the body comes in an encoding that nobody asked for. */
export function mediaTypeOf(headers: ReceivedHeaders): string {
  const encoding = headerOf(headers, 'content-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new TransportError('garbage', 'The answer is encoded in a way that was not asked for', { sent: true })
  }
  const type = headerOf(headers, 'content-type')
  if (type === undefined || type === jsonType || type === eventType) return type ?? ''
  const [media = ''] = type.split(';', 1)
  return media.trim().toLowerCase()
}
