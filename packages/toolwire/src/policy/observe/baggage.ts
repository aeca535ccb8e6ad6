// Baggage of a trace, as it is written in `_meta`. https://www.w3.org/TR/baggage/
import { type Baggage, type BaggageEntry, baggageEntryMetadataFromString, propagation } from '@opentelemetry/api'
import type { Json } from '../../json.js'
import { percentDecoded } from '../../text/percent-decoded.js'
import { traceForms } from '../../tools/checks/trace-forms.js'

// Limits that every implementation must support. https://www.w3.org/TR/baggage/#limits
const mostMembers = 64
const mostCharacters = 8_192

/** The baggage; undefined if there is none, or it cannot be read. */
export function readBaggage(value: Json | undefined): Baggage | undefined {
  if (typeof value !== 'string' || value.length > mostCharacters || !isBaggage(value)) return undefined
  const entries = value.split(',').slice(0, mostMembers).flatMap(readMember)
  return entries.length > 0 ? propagation.createBaggage(Object.fromEntries(entries)) : undefined
}

function readMember(member: string): [string, BaggageEntry][] {
  const [pair = '', ...properties] = member.split(';')
  const at = pair.indexOf('=')
  const value = percentDecoded(pair.slice(at + 1).trim())
  if (value === undefined) return []
  const metadata = properties.length > 0 && { metadata: baggageEntryMetadataFromString(properties.join(';').trim()) }
  return [[pair.slice(0, at).trim(), { value, ...metadata }]]
}

/** Writes as many members as are valid and fit the limits. */
export function writeBaggage(baggage: Baggage): string | undefined {
  let text = ''
  for (const member of baggage.getAllEntries().slice(0, mostMembers).map(writeMember)) {
    if (!isBaggage(member) || text.length + 1 + member.length > mostCharacters) continue
    text = text === '' ? member : `${text},${member}`
  }
  return text === '' ? undefined : text
}

function writeMember([key, { value, metadata }]: [string, BaggageEntry]): string {
  // UTF-8 cannot represent half a surrogate pair.
  const pair = `${key}=${encodeURIComponent(value.toWellFormed())}`
  return metadata ? `${pair};${metadata.toString()}` : pair
}

const isBaggage = (text: string): boolean => traceForms.get('baggage')?.test(text) ?? false
