// From what the operator wrote about an upstream to how the client reaches it.
import { type Answering, type Client, type ConnectOptions, connect, type Target, verdictsHere } from 'toolwire/client'
import { type Policy, sanitize } from 'toolwire/guard'
import type { UpstreamConfig } from '../config/config.js'
import type { Identify } from '../config/servers/identity.js'
import { lineByLine } from './line-by-line.js'
import type { AuthOf } from './own-connections.js'

/** What an upstream needs besides what is written in the configuration. */
export type UpstreamOptions = {
  /** Shows the upstream who the gateway is: its own credentials, never a caller's. */
  readonly auth?: ConnectOptions['auth']
  /** Each caller's requests show the upstream who that caller is to it, by credentials that the caller got there. */
  readonly authOf?: AuthOf
  readonly clientInfo?: { readonly name: string; readonly version: string }
  /** Finds out which server it is, before it is reached. */
  readonly identify?: Identify
  /** What had to be passed over, and what its process prints on stderr. */
  readonly onNote?: (kind: 'warning' | 'stderr', text: string) => void
  readonly random?: () => number
  /** Around the calls that go there; most is judged before, where calls come in. */
  readonly policies?: readonly Policy[]
  /** Cleans what the upstream says besides the results of calls; by the usual rules if not said. */
  readonly words?: Policy['words']
}

/** Questions are answered call by call, so no more than that there will be somebody is said to the upstream as a whole. */
const asks: { readonly [K in keyof Answering]-?: true } = { form: true, page: true, model: true, roots: true }

export type Listening = Pick<ConnectOptions, 'onSession' | 'signal'> & {
  /** Waited for each time before a process is started; it is not where this throws. */
  readonly beforeStart?: () => Promise<void>
}

export function reach(config: UpstreamConfig, options: UpstreamOptions, listening: Listening): Promise<Client> {
  const { onNote } = options
  const { beforeStart, ...heard } = listening
  return connect(targetOf(config, options, beforeStart), {
    ...heard,
    name: config.id,
    asks,
    // Asked anew what it offers: what this process knows from before says only which edition to speak.
    verdicts: verdictsHere(),
    trusted: config.trusted,
    // Callers choose for themselves what they want to hear.
    logLevel: 'debug',
    // Calls are guarded once, where they come in.
    guard: { audit: false, rateLimit: false, sanitize: false },
    limits: config.timeout ?? {},
    ...(config.revision !== undefined && { revision: config.revision }),
    ...(options.auth && { auth: options.auth }),
    policies: [...(options.policies ?? []), { name: 'words', words: options.words ?? sanitize().words }],
    ...(options.clientInfo && { clientInfo: options.clientInfo }),
    ...(onNote && { onWarning: (text) => onNote('warning', text) }),
  })
}

function targetOf({ target }: UpstreamConfig, { onNote }: UpstreamOptions, beforeStart: Listening['beforeStart']): Target {
  if (target.kind === 'child') {
    const { kind: _, ...command } = target
    return {
      ...command,
      ...(beforeStart && { beforeStart }),
      ...(onNote && { onStderr: lineByLine((line) => onNote('stderr', line)) }),
    }
  }
  return { type: target.kind, url: target.url, headers: target.headers }
}
