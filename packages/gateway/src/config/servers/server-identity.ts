// The identity of the server behind a config entry, independent of its name.
import { createHmac } from 'node:crypto'
import { redactedArgument, redactedUrl } from '../describe-config.js'
import type { Target, UpstreamConfig } from '../gateway-config.js'
import { isSecretName, looksRandom, masked } from '../secrets.js'
import { fileStamp, type HashedFile } from './file-hash.js'
import { decidingVariables, programFilesOf } from './program-files.js'

/** The facts that identify a server, in a form that may be shown and stored. */
export type ServerFacts =
  | (Omit<Target & { readonly kind: 'child' }, 'env'> & {
      /** Names without values. */
      readonly env: readonly string[]
      readonly files: readonly { readonly path: string; readonly hash: string }[]
    })
  | {
      readonly kind: 'http' | 'sse'
      readonly url: string
      /** Names without values. */
      readonly headers: readonly string[]
      readonly login: string
    }
  | { readonly kind: 'example'; readonly name: string }

export type ServerIdentity = {
  /** Equal for the same server, and for no other. */
  readonly id: string
  readonly facts: ServerFacts
  /** Are the files behind this identity still the same? */
  readonly isUnchanged: () => boolean
}

export type IdentifyServer = (config: Pick<UpstreamConfig, 'id' | 'target' | 'example'>) => Promise<ServerIdentity>

/** The server identities of one gateway. A secret salt prevents guessing the arguments of a command from its id. */
export const serverIdentifier =
  (salt: string): IdentifyServer =>
  async (config) => {
    const { exact, facts, files = [] } = await knownOf(config)
    const digest = createHmac('sha256', salt).update(JSON.stringify([facts.kind, exact]))
    const isUnchanged = () => files.every(({ path, stamp }) => fileStamp(path) === stamp)
    return { id: `v1:${digest.digest('hex')}`, facts, isUnchanged }
  }

type KnownFacts = { readonly exact: unknown; readonly facts: ServerFacts; readonly files?: readonly HashedFile[] }

function knownOf({ id, target, example }: Parameters<IdentifyServer>[0]): KnownFacts | Promise<KnownFacts> {
  if (example) return { exact: [id], facts: { kind: 'example', name: id } }
  return target.kind === 'child' ? ofChild(target) : ofRemote(target)
}

async function ofChild(target: Target & { readonly kind: 'child' }): Promise<KnownFacts> {
  const { args, cwd } = target
  const { command, files } = await programFilesOf(target)
  const env = Object.keys(target.env).sort()
  const hashes = files.map(({ path, hash }) => ({ path, hash }))
  const deciding = decidingVariables(target)
  return {
    // Without such variables, the identity is that of older versions.
    exact: [command, args, cwd ?? null, env, hashes.map(({ hash }) => hash), ...(deciding.length > 0 ? [deciding] : [])],
    facts: { kind: 'child', command, args: args.map(shownWord), ...(cwd !== undefined && { cwd }), env, files: hashes },
    files,
  }
}

function ofRemote({ kind, url, headers, auth }: Exclude<Target, { readonly kind: 'child' }>): KnownFacts {
  const address = plainAddress(url)
  const names = Object.keys(headers)
    .map((name) => name.toLowerCase())
    .sort()
  const login = typeof auth === 'object' ? [auth.perUser, auth.clientId ?? null, auth.issuer ?? null] : (auth ?? null)
  return { exact: [address, names, login], facts: { kind, url: redactedUrl(address), headers: names, login: loginWords(auth) } }
}

const shownWord = (word: string, at: number, all: readonly string[]): string =>
  looksRandom(word) ? masked : redactedArgument(word, at, all)

function loginWords(auth: (Target & { readonly kind: 'http' })['auth']): string {
  if (typeof auth !== 'object') return 'no login'
  const whose = auth.perUser ? 'a login for each caller' : 'one login for all callers'
  const client = auth.clientId === undefined ? '' : ` as ${auth.clientId}`
  return `${whose}${client}${auth.issuer === undefined ? '' : ` at ${auth.issuer}`}`
}

/** The canonical spelling of a URL, without its credentials. */
function plainAddress(text: string): string {
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  url.hash = ''
  if (url.password !== '') url.password = masked
  for (const name of new Set(url.searchParams.keys())) if (isSecretName(name)) url.searchParams.set(name, masked)
  return url.href
}
