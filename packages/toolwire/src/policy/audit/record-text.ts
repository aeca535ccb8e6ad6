import { BoundedMap } from '../../bounds/bounded-map.js'
import { encodeJson } from '../../json.js'
import type { AuditRecord } from './record.js'
import { ArgumentDigests, type Redacted } from './redaction.js'

type About = Pick<AuditRecord, 'server' | 'serverIdentity' | 'tool'> & { readonly text: string }
const mostKnown = 1_000

/** Writes the members of a record as JSON, without the braces. The text about a tool is cached, because it makes up much of a record. */
export function recordWriter(): (record: AuditRecord) => string {
  const known = new BoundedMap<string, About>(mostKnown)
  let latest = { caller: '', text: '""' }

  function aboutOf({ server, serverIdentity, tool, definitionHash }: AuditRecord): string {
    const about = known.get(definitionHash)
    if (about && about.tool === tool && about.server === server && about.serverIdentity === serverIdentity) return about.text
    const text = encodeJson({ server, serverIdentity, tool, definitionHash }).slice(1, -1)
    known.set(definitionHash, { server, serverIdentity, tool, text })
    return text
  }

  /** Cached, because most records have the same caller as the record before. */
  function callerOf(caller: string): string {
    if (latest.caller !== caller) latest = { caller, text: quoted(caller) }
    return latest.text
  }

  return (record) => {
    const { kind, id, at, caller, continued } = record
    const who = `"caller":${callerOf(caller)}${continued ? ',"continued":true' : ''}`
    return `"kind":"${kind}","id":${quoted(id)},"at":${number(at)},${aboutOf(record)},${who},${remainingMembers(record)}`
  }
}

function remainingMembers(record: AuditRecord): string {
  if (record.kind === 'intent') return `"arguments":${argumentsText(record.arguments)}`
  const { durationMs, decision, outcome, reason, ground, policyVersion } = record
  const how = `"decision":"${decision}","outcome":"${outcome}"${ground === undefined ? '' : `,"ground":${quoted(ground)}`}`
  const rules = policyVersion === undefined ? '' : `,"policyVersion":${quoted(policyVersion)}`
  const ended = `"durationMs":${milliseconds(durationMs)},${how}${rules}`
  return reason === undefined ? ended : `${ended},"reason":${quoted(reason)}`
}

function argumentsText(args: object): string {
  if (!(args instanceof ArgumentDigests)) return encodeJson(args)
  if (!args.named) return `{${digestText(args)}}`
  let named = ''
  for (const name of Object.keys(args.named)) named += `${named && ','}${quoted(name)}:{${digestText(args.named[name]!)}}`
  return `{${digestText(args)},"named":{${named}}}`
}

const digestText = ({ type, length, hmac }: Redacted): string =>
  length === undefined ? `"type":"${type}","hmac":"${hmac}"` : `"type":"${type}","length":${length},"hmac":"${hmac}"`

/** Most names and ids need no escapes. */
const plain = /^[\w .:;,@/+=-]*$/
const quoted = (text: string): string => (plain.test(text) ? `"${text}"` : encodeJson(text))
/** Writes microseconds as two whole numbers, because writing a fraction takes several times as long. */
function milliseconds(value: number): string {
  const micros = Math.round(value * 1_000)
  if (!(micros >= 0 && micros <= 2 ** 31)) return number(value)
  const rest = micros % 1_000
  const whole = (micros - rest) / 1_000
  return rest === 0 ? `${whole}` : `${whole}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`
}

const number = (value: number): string => (Number.isFinite(value) ? `${value}` : 'null')
