// The media types of a request's body and of its response. RFC 9110, sections 8.3, 8.4 and 12.5.1
import { bareMediaType, eventType, jsonType } from '../media-type.js'
import type { HttpExchange } from './http-exchange.js'
import type { HttpRefusal } from './http-refusal.js'

/** The refusal of a POST, if its media types are not supported. */
export const checkMedia = (exchange: HttpExchange): HttpRefusal | undefined => checkBody(exchange) ?? checkAccept(exchange)

/** Checks only the body, for messages whose answers go to another stream. */
export function checkBody(exchange: HttpExchange): HttpRefusal | undefined {
  if (bareMediaType(exchange.header('content-type')) !== jsonType)
    return { status: 415, message: `Content-Type must be ${jsonType}` }
  const encoding = exchange.header('content-encoding')
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return { status: 415, message: 'Content-Encoding is not supported', headers: { 'accept-encoding': 'identity' } }
  }
  return undefined
}

const checkAccept = (exchange: HttpExchange): HttpRefusal | undefined =>
  accepts(exchange, jsonType)
    ? undefined
    : { status: 406, message: `Accept must allow ${jsonType}, and ${eventType} for answers that are streamed` }

/** The refusal of a GET that does not accept a stream of events. */
export const checkAcceptsEvents = (exchange: HttpExchange): HttpRefusal | undefined =>
  acceptsEvents(exchange)
    ? undefined
    : { status: 406, message: `Accept must allow ${eventType}: this address is a stream of events` }

export const acceptsEvents = (exchange: HttpExchange): boolean => accepts(exchange, eventType)

/** Results are cached, because clients send few different headers again and again. */
const mostKept = 50
const longestKept = 200
const verdicts = { [jsonType]: new Map<string, boolean>(), [eventType]: new Map<string, boolean>() }

function accepts(exchange: HttpExchange, type: keyof typeof verdicts): boolean {
  const header = exchange.header('accept')
  if (header === undefined || header === '') return true
  const known = verdicts[type].get(header)
  if (known !== undefined) return known
  const verdict = acceptsType(header, type)
  if (header.length < longestKept && verdicts[type].size < mostKept) verdicts[type].set(header, verdict)
  return verdict
}

/** The most specific range decides; `q=0` excludes it. */
function acceptsType(header: string, type: string): boolean {
  const ranges = new Map(header.toLowerCase().split(',').map(rangeOf))
  const candidates = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']
  return candidates.map((range) => ranges.get(range)).find((taken) => taken !== undefined) ?? false
}

function rangeOf(text: string): [string, boolean] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim())
  return [range, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))]
}
