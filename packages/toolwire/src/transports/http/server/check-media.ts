// What a request says about the form of its body and of the answer. RFC 9110, sections 8.3, 8.4 and 12.5.1
import { bareMediaType, eventType, jsonType } from '../media-type.js'
import type { HttpExchange } from './http-exchange.js'
import type { HttpRefusal } from './http-refusal.js'

/** Why a POST is turned away, if it is. */
export const checkMedia = (exchange: HttpExchange): HttpRefusal | undefined => checkBody(exchange) ?? checkAccept(exchange)

/** The same where the answer goes another way, so that `Accept` says nothing about it. */
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

/** Why a GET is not answered with a stream, if it is not. */
export const checkAcceptsEvents = (exchange: HttpExchange): HttpRefusal | undefined =>
  acceptsEvents(exchange)
    ? undefined
    : { status: 406, message: `Accept must allow ${eventType}: this address is a stream of events` }

export const acceptsEvents = (exchange: HttpExchange): boolean => accepts(exchange, eventType)

/** Clients send few different headers, again and again. */
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

/** The most specific range decides; `q=0` says no. */
function acceptsType(header: string, type: string): boolean {
  const ranges = new Map(header.toLowerCase().split(',').map(rangeOf))
  const candidates = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']
  return candidates.map((range) => ranges.get(range)).find((taken) => taken !== undefined) ?? false
}

function rangeOf(text: string): [string, boolean] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim())
  return [range, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))]
}
