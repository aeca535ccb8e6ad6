import { problem } from '../config-error.js'
import { jsonPointer } from '../documents/document.js'
import { isWebUrl } from '../witness-location.js'
import type { Settings } from './settings.js'

const setName = /^[a-z0-9][a-z0-9_-]{0,63}$/
const prefix = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_|$)){0,31}$/

const setNameRule = 'the name of a set is part of its address; use at most 64 lowercase letters, digits, - and _'
const prefixRule = 'a prefix has at most 32 letters, digits, - and single _; false means no prefix'
const originRule = 'an origin is a scheme, a host and a port, without a path: https://app.example'

/** Checks rules that a schema cannot express. A value with a variable that is not set yet cannot be checked. */
export function checkSettings({ sets, servers, webhook, witness, callers, allowedOrigins = [] }: Settings): void {
  for (const name of Object.keys(sets ?? {})) check(setName.test(name), jsonPointer('sets', name), setNameRule)
  for (const [id, { prefix: given }] of Object.entries(servers ?? {}))
    check(typeof given !== 'string' || isUnknown(given) || prefix.test(given), jsonPointer('servers', id, 'prefix'), prefixRule)
  if (webhook) checkWebUrl(webhook.url, '/toolwire/webhook/url')
  if (witness && isWebUrl(witness.to)) checkWebUrl(witness.to, '/toolwire/witness/to')
  const isLong = !webhook || isUnknown(webhook.secret) || webhook.secret.length >= 16
  check(isLong, '/webhook/secret', 'the signing secret needs at least 16 characters; create one with openssl rand -hex 32')
  const { issuer, url, jwks } = callers?.oauth ?? {}
  for (const [name, value] of Object.entries({ issuer, url, jwks }))
    if (value !== undefined) checkWebUrl(value, `/toolwire/callers/oauth/${name}`)
  for (const [index, origin] of allowedOrigins.entries())
    check(
      isUnknown(origin) || (URL.canParse(origin) && new URL(origin).origin === origin),
      jsonPointer('allowedOrigins', index),
      originRule,
    )
}

function check(isRight: boolean, at: string, message: string): void {
  if (!isRight) throw problem(`/toolwire${at}`, message)
}

/** Variables of the replicas need not be set where a config is pushed. */
export const isUnknown = (value: string): boolean => value.includes('${')

/** Refuses anything but an http or https URL without credentials. */
export function checkWebUrl(url: string, at: string): void {
  if (isUnknown(url)) return
  if (!URL.canParse(url)) throw problem(at, 'is not an address; write http:// or https://')
  const { protocol, username, password } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw problem(at, 'is not a web address; write http:// or https://')
  if (username !== '' || password !== '') throw problem(at, 'has a user name or password in the address; send them as a header')
}
