import type { JsonObject } from 'toolwire'
import type { GatewayConfig, Target, UpstreamConfig } from './gateway-config.js'
import { isHarmlessHeader, isHarmlessParameter, isSecretName, looksRandom, masked } from './secrets.js'

/** The config for display, with secrets masked. */
export function describeConfig(config: GatewayConfig): JsonObject {
  const { upstreams, secrets, apiKey, webhook, witness, redisUrl, store, trust, policy, written: _, ...rest } = config
  const shown = {
    ...rest,
    ...(policy !== undefined && { policy: typeof policy === 'string' ? policy : policy.name }),
    ...(apiKey !== undefined && { apiKey: masked }),
    ...(witness && { witness: { ...witness, to: redactedUrl(witness.to) } }),
    ...(webhook && { webhook: { url: redactedUrl(webhook.url), secret: masked } }),
    ...(redisUrl !== undefined && { redisUrl: redactedUrl(redisUrl) }),
    ...(store !== undefined && { store: redactedUrl(store) }),
    // The lines of a waiting part may contain values that only readers of the file may see.
    ...(trust && { trust: { ...trust, waiting: trust.waiting.map(({ lines: _, ...part }) => part) } }),
    upstreams: upstreams.map(describeUpstream),
  }
  // Apart from undefined, the config consists of JSON values.
  return JSON.parse(JSON.stringify(shown), (_, value) => (typeof value === 'string' ? secrets.mask(value) : value))
}

/** The target of an upstream for display; secrets of the whole config are masked in it. */
export function describedTarget(config: GatewayConfig, upstream: UpstreamConfig): JsonObject {
  const { upstreams } = describeConfig({ ...config, upstreams: [upstream] }) as { upstreams: { target: JsonObject }[] }
  return upstreams[0]?.target ?? {}
}

function describeUpstream({ target, tools, ...rest }: UpstreamConfig): object {
  const overrides = Object.entries(tools).map(([name, { arguments: pinned, ...override }]) => [
    name,
    { ...override, arguments: pinned && redactedArguments(pinned) },
  ])
  return { ...rest, target: describeTarget(target), tools: Object.fromEntries(overrides) }
}

function describeTarget(target: Target): object {
  if (target.kind === 'child') return { ...target, args: target.args.map(redactedArgument), env: names(target.env) }
  const { auth, url, headers } = target
  const secret = typeof auth === 'object' && auth.clientSecret !== undefined && { auth: { ...auth, clientSecret: masked } }
  return { ...target, url: redactedUrl(url), headers: names(headers), ...secret }
}

/** The command of a child in one line, with apparent secrets masked. */
export const redactedCommand = ({ command, args }: Target & { kind: 'child' }): string =>
  [command, ...args.map(redactedArgument)].join(' ')

const names = (record: { readonly [name: string]: string }): { [name: string]: string } =>
  Object.fromEntries(Object.keys(record).map((name) => [name, masked]))

/** Does the next word of a command contain a header? */
export const isHeaderOption = (word: string): boolean => /^(-H|--headers?)$/.test(word)

/** Is the next word of a command the value of a secret option? */
const isSecretOption = (word: string): boolean => word.startsWith('-') && !word.includes('=') && isSecretName(word)

/**
 * The header that a word of a command contains: `Name: value`, alone or after an option and `=`. The value of a secret option is secret as a
 * whole, an address has a scheme and no header, and `keycloak:/data` is a volume.
 */
export function headerArgument(word: string, before = '') {
  if (isSecretOption(before) || /^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return undefined
  const { 1: option = '', 2: name, 3: space, 4: value } = /^(--?[\w-]+=|-H)?([A-Za-z][\w-]*):(\s*)(.+)$/s.exec(word) ?? []
  if (name === undefined || space === undefined || value === undefined || isHarmlessHeader(name)) return undefined
  const isOptions = isHeaderOption(before) || isHeaderOption(option.replace('=', ''))
  const isHeader = isOptions || space !== '' || (isSecretName(name) && !/^([\\/]|\d+$)/.test(value))
  return isHeader ? { name, value, shown: `${option}${name}:${space}${masked}` } : undefined
}

export function redactedArgument(word: string, index: number, all: readonly string[]): string {
  const before = all[index - 1] ?? ''
  const header = headerArgument(word, before)
  if (header) return header.shown
  if (isSecretOption(before) && !word.startsWith('-')) return masked
  // Container arguments pass variables as NAME=value.
  const [option = ''] = /^(?:--env=|-e=)+/.exec(word) ?? []
  if (option !== '') return option + redactedArgument(word.slice(option.length), 0, [])
  const { 1: name, 2: value } = /^(--?[\w-]+|[A-Z][A-Z0-9_]*)=(.*)$/s.exec(word) ?? []
  if (name !== undefined && value !== undefined)
    return `${name}=${isSecretName(name) || !name.startsWith('-') ? masked : redactedUrl(value)}`
  return redactedUrl(word)
}

/** Masks the password, the query values, and user names and HTTP path segments that look random; drops the fragment. */
export function redactedUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return text
  const { protocol, host, username, password, pathname, searchParams, search, hash } = new URL(text)
  const user = maskRandom(username)
  const path = protocol.startsWith('http') ? pathname.split('/').map(maskRandom).join('/') : pathname
  if (password === '' && search === '' && hash === '' && user === username && path === pathname) return text
  const login = `${user}${password === '' ? '' : `:${masked}`}`
  const query = [...searchParams].map(([key, word]) => `${key}=${isHarmlessParameter(key) ? word : masked}`).join('&')
  return `${protocol}//${login === '' ? '' : `${login}@`}${host}${path}${query === '' ? '' : `?${query}`}`
}

const maskRandom = (part: string): string => (looksRandom(part) ? masked : part)

const redactedArguments = (pinned: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(pinned).map(([name, value]) => [name, isSecretName(name) ? masked : value]))
