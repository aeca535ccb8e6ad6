import { machine, ruleParts } from 'toolwire/relay'
import { problem } from '../config-error.js'
import { jsonPointer } from '../documents/document.js'
import { isWebUrl } from '../witness-location.js'
import type { Settings } from './settings.js'

const setName = /^[a-z0-9][a-z0-9_-]{0,63}$/
const prefix = /^[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_|$)){0,31}$/

const setNameRule = 'the name of a set is part of its address; use at most 64 lowercase letters, digits, - and _'
const prefixRule = 'a prefix has at most 32 letters, digits, - and single _; false means no prefix'

const globRule = 'a glob knows * and ? only; write ? for such a character, and each of several names as an entry of its own'

/** Checks rules that a schema cannot express. A value with a variable that is not set yet cannot be checked. */
export function checkSettings(settings: Settings): void {
  const { sets, servers, webhook, witness, callers, allowedHosts, allowedOrigins } = settings
  for (const name of Object.keys(sets ?? {})) check(setName.test(name), jsonPointer('sets', name), setNameRule)
  for (const [id, { prefix: given }] of Object.entries(servers ?? {}))
    check(typeof given !== 'string' || isUnknown(given) || prefix.test(given), jsonPointer('servers', id, 'prefix'), prefixRule)
  checkGlobs(settings)
  if (webhook) checkWebUrl(webhook.url, '/toolwire/webhook/url')
  if (witness && isWebUrl(witness.to)) checkWebUrl(witness.to, '/toolwire/witness/to')
  const isLong = !webhook || isUnknown(webhook.secret) || webhook.secret.length >= 16
  check(isLong, '/webhook/secret', 'the signing secret needs at least 16 characters; create one with openssl rand -hex 32')
  const { issuer, url, jwks } = callers?.oauth ?? {}
  for (const [name, value] of Object.entries({ issuer, url, jwks }))
    if (value !== undefined) checkWebUrl(value, `/toolwire/callers/oauth/${name}`)
  checkNames('allowedHosts', allowedHosts, machine.hostFault)
  checkNames('allowedOrigins', allowedOrigins, machine.originFault)
}

function checkNames(list: string, names: readonly string[] = [], faultOf: typeof machine.hostFault): void {
  for (const [index, name] of names.entries()) {
    const fault = isUnknown(name) ? undefined : faultOf(name)
    if (fault !== undefined) throw problem(`/toolwire${jsonPointer(list, index)}`, fault)
  }
}

function checkGlobs({ sets = {}, servers = {}, commands = [], clients = {} }: Settings): void {
  const checkEach = (globs: readonly (string | { readonly tool: string })[], ...at: string[]) => {
    for (const [index, one] of globs.entries()) {
      const glob = typeof one === 'string' ? one : one.tool
      check(isUnknown(glob) || !ruleParts.isUnclearGlob(glob), jsonPointer(...at, index), globRule)
    }
  }
  for (const [name, globs] of Object.entries(sets)) checkEach(globs, 'sets', name)
  for (const [id, { only = [] }] of Object.entries(servers)) checkEach(only, 'servers', id, 'only')
  checkEach(commands, 'commands')
  for (const glob of Object.keys(clients)) check(!ruleParts.isUnclearGlob(glob), jsonPointer('clients', glob), globRule)
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
