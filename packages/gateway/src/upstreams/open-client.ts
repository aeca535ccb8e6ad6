// Connects to an upstream as configured.
import { CallFailure, type Client, type ConnectOptions, connect, memoryRevisions } from 'toolwire/client'
import { type Policy, sanitize } from 'toolwire/guard'
import type { Answering, types } from 'toolwire/relay'
import type { Target, UpstreamConfig } from '../config/gateway-config.js'
import type { IdentifyServer } from '../config/servers/server-identity.js'
import { withoutUndefined } from '../json/without-undefined.js'
import type { CallerCredentials } from './caller-connections.js'
import { cutAtWord, withoutPrintedSecrets } from './printed-secrets.js'
import { lineSplitter } from './split-lines.js'

/** Options of an upstream that are not in its config. */
export type UpstreamClientOptions = {
  /** The gateway's own credentials for the upstream, never those of a caller. */
  readonly auth?: ConnectOptions['auth']
  /** The credentials that each caller has obtained for the upstream. */
  readonly authOf?: CallerCredentials
  readonly clientInfo?: { readonly name: string; readonly version: string }
  /** Computes the identity of the server before connecting. */
  readonly identify?: IdentifyServer
  /** Receives warnings, and the lines that the process prints on stderr. */
  readonly onNote?: (kind: 'warning' | 'stderr', text: string) => void
  readonly random?: () => number
  /** Policies for calls to this upstream; most policies run earlier, at the entrance of the gateway. */
  readonly policies?: readonly Policy[]
  /** Sanitizes texts of the upstream other than call results; by default with the standard rules. */
  readonly words?: Policy['words']
}

/** All question types are declared to a server, which may hide tools otherwise. Each call decides whether its caller can answer. */
export const questionCapabilities: { readonly [K in keyof Answering]-?: true } = {
  form: true,
  page: true,
  model: true,
  roots: true,
}

type UpstreamListeners = Pick<ConnectOptions, 'onSession' | 'signal'> & {
  /** Awaited before each start of a process; if it throws, the process is not started. */
  readonly beforeStart?: () => Promise<void>
}

type Opening = { readonly config: UpstreamConfig; readonly options: UpstreamClientOptions } & UpstreamListeners

export function openClient({ config, options, beforeStart, ...listening }: Opening): Promise<Client> {
  const { onNote } = options
  return connect(targetOf(config.target, onNote, beforeStart), {
    ...listening,
    name: config.id,
    asks: questionCapabilities,
    // A fresh store, so that the server is asked for its capabilities again; stored verdicts contain only the revision.
    verdicts: memoryRevisions(),
    trusted: config.trusted,
    // An Upstream has its own schedule for reconnecting.
    reconnect: false,
    // Callers choose their own log level.
    logLevel: 'debug',
    // Calls are guarded once, at the entrance of the gateway.
    guard: { audit: false, rateLimit: false, sanitize: false },
    limits: config.timeout ?? {},
    ...withoutUndefined({ revision: config.revision, auth: options.auth, clientInfo: options.clientInfo }),
    policies: [...(options.policies ?? []), { name: 'words', words: options.words ?? sanitize().words }],
    ...(onNote && { onWarning: (text) => onNote('warning', text) }),
  })
}

type Listening = UpstreamClientOptions['onNote']

function targetOf(target: Target, onNote: Listening, beforeStart: UpstreamListeners['beforeStart']): types.Target {
  if (target.kind !== 'child') return { type: target.kind, url: target.url, headers: target.headers }
  const { kind: _, ...command } = target
  const onStderr = onNote && lineSplitter((line) => onNote('stderr', line))
  return { ...command, ...(beforeStart && { beforeStart }), ...(onStderr && { onStderr }) }
}

const longestWhy = 16_384

/** The reason that an upstream cannot be opened, with advice if the config may lack a login. */
export function openFailureOf(thrown: unknown, target: Target): string {
  const why = withoutPrintedSecrets(cutAtWord(thrown instanceof Error ? thrown.message : String(thrown), longestWhy))
  if (!(thrown instanceof CallFailure) || thrown.status !== 401 || hasCredentials(target)) return why
  return `${why}. If users log in to this server, set "auth": "oauth" for it under toolwire.servers`
}

const hasCredentials = (target: Target): boolean =>
  target.kind === 'child' || target.auth !== undefined || Object.keys(target.headers).length > 0
