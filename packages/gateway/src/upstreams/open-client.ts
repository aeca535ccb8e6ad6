// From what the operator wrote about an upstream to how the client reaches it.
import { CallFailure, type Client, type ConnectOptions, connect, memoryRevisions } from 'toolwire/client'
import { type Policy, sanitize } from 'toolwire/guard'
import type { Answering, types } from 'toolwire/relay'
import type { Target, UpstreamConfig } from '../config/gateway-config.js'
import type { IdentifyServer } from '../config/servers/server-identity.js'
import { withoutUndefined } from '../json/without-undefined.js'
import type { CallerCredentials } from './caller-connections.js'
import { withoutPrintedSecrets } from './printed-secrets.js'
import { lineSplitter } from './split-lines.js'

/** What an upstream needs besides what is written in the configuration. */
export type UpstreamClientOptions = {
  /** Shows the upstream who the gateway is: its own credentials, never a caller's. */
  readonly auth?: ConnectOptions['auth']
  /** Each caller's requests show the upstream who that caller is to it, by credentials that the caller got there. */
  readonly authOf?: CallerCredentials
  readonly clientInfo?: { readonly name: string; readonly version: string }
  /** Finds out which server it is, before it is reached. */
  readonly identify?: IdentifyServer
  /** What had to be passed over, and what its process prints on stderr. */
  readonly onNote?: (kind: 'warning' | 'stderr', text: string) => void
  readonly random?: () => number
  /** Around the calls that go there; most is judged before, where calls come in. */
  readonly policies?: readonly Policy[]
  /** Cleans what the upstream says besides the results of calls; by the usual rules if not said. */
  readonly words?: Policy['words']
}

/** Questions are answered call by call, so no more than that there will be somebody is said to the upstream as a whole. */
const questionCapabilities: { readonly [K in keyof Answering]-?: true } = { form: true, page: true, model: true, roots: true }

type UpstreamListeners = Pick<ConnectOptions, 'onSession' | 'signal'> & {
  /** Waited for each time before a process is started; it is not where this throws. */
  readonly beforeStart?: () => Promise<void>
}

type Opening = { readonly config: UpstreamConfig; readonly options: UpstreamClientOptions } & UpstreamListeners

export function openClient({ config, options, beforeStart, ...listening }: Opening): Promise<Client> {
  const { onNote } = options
  return connect(targetOf(config.target, onNote, beforeStart), {
    ...listening,
    name: config.id,
    asks: questionCapabilities,
    // Asked anew what it offers: what this process knows from before says only which revision to speak.
    verdicts: memoryRevisions(),
    trusted: config.trusted,
    // Callers choose for themselves what they want to hear.
    logLevel: 'debug',
    // Calls are guarded once, where they come in.
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

/** Why an upstream could not be had, with what to do about it where the config may lack something. */
export function openFailureOf(thrown: unknown, target: Target): string {
  const why = withoutPrintedSecrets(thrown instanceof Error ? thrown.message : String(thrown))
  if (!(thrown instanceof CallFailure) || thrown.status !== 401 || saysSomething(target)) return why
  return `${why}; if people log in there, write "auth": "oauth" for it under toolwire.servers`
}

const saysSomething = (target: Target): boolean =>
  target.kind === 'child' || target.auth !== undefined || Object.keys(target.headers).length > 0
