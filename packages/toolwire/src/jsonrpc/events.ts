// Server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html
export { EventDecoder, EventError, type IncomingEvent } from './event-decoder.js'

/** An event to send; `data` may have several lines. */
export type OutgoingEvent = { event?: string; id?: string; data?: string; retry?: number }

const anyLineEnd = /\r\n|\r|\n/

export function encodeEvent({ event, id, data, retry }: OutgoingEvent): string {
  let text = ''
  if (event !== undefined) text += `event: ${oneLine(event, 'event')}\n`
  if (id !== undefined) text += `id: ${oneLine(id, 'id')}\n`
  if (retry !== undefined) text += `retry: ${wholeNumber(retry)}\n`
  if (data !== undefined) text += prefixLines('data: ', data)
  return `${text}\n`
}

/** Encodes a comment, which clients ignore; it keeps an idle connection open. */
export const encodeComment = (text = ''): string => `${prefixLines(': ', text)}\n`

function prefixLines(prefix: string, text: string): string {
  if (!anyLineEnd.test(text)) return `${prefix}${text}\n`
  const lines = text.split(anyLineEnd)
  return lines.map((line) => `${prefix}${line}\n`).join('')
}

function oneLine(value: string, field: string): string {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`${field} of an event holds a line end or NUL`)
  return value
}

function wholeNumber(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('retry of an event is a whole number of milliseconds')
  return value
}
