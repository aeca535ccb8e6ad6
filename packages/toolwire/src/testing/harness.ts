// A client in the same process, for tests: it speaks any revision, answers questions, and keeps every message.

import type { JsonObject } from '../json.js'
import type { Application } from '../peer/application.js'
import { metaKeys } from '../revisions/meta-keys.js'
import type { ClientCapabilities, Revision } from '../revisions/revision.js'
import { structuredValue } from '../revisions/structured-value.js'
import type { ToolSet } from '../server/options.js'
import type { Server } from '../server/server.js'
import { type CallResult, type Calls, ToolCallError } from '../tools/call-result.js'
import { type Caller, localUser } from '../tools/caller.js'
import { checkOptions, optionsOf, withGiven } from '../tools/checks/known-options.js'
import { oneOf, someMoment, someObject, someText, someTexts, trueOrFalse } from '../tools/checks/option-values.js'
import { type LogLevel, logLevels } from '../tools/context.js'
import { type Answers, answerQuestion } from './answer-question.js'
import { type HarnessCallOptions, type HarnessClient, harnessClient } from './harness-client.js'
import { type Frame, openWire } from './wire.js'

export type HarnessOptions = {
  /** By default the newest revision that the server speaks. */
  revision?: string
  caller?: Partial<Caller>
  /** Answers to questions, by their keys: the content of a form, true for a page, or a whole response; or a function. */
  answers?: Answers
  /** The client's capabilities; by default all of them if there are `answers`, else none. */
  capabilities?: ClientCapabilities
  logLevel?: LogLevel
}

/** A client that is connected to a server in memory. */
export interface Harness<T extends ToolSet> extends AsyncDisposable {
  readonly revision: string
  /** The server's tools as typed functions; a failed call throws. */
  readonly tools: Calls<T>
  /** Calls a tool, answers its questions, and returns the result unchanged. */
  call(name: string, args?: JsonObject, options?: HarnessCallOptions): Promise<CallResult & JsonObject>
  /** Sends any request; an error response is thrown as RpcError. */
  request(method: string, params?: JsonObject, options?: HarnessCallOptions): Promise<JsonObject>
  notify(method: string, params?: JsonObject): void
  /** Sends text exactly as it is. */
  send(text: string | Uint8Array): void
  /** Every message that went over the wire, in order. */
  readonly frames: readonly Frame[]
  /** Requests and notifications from the server, of one method or all. */
  heard(method?: string): JsonObject[]
  /** Returns the latest message of this method from the server, or waits for one. */
  hear(method: string, ms?: number): Promise<JsonObject>
  close(): void
}

const known = optionsOf<HarnessOptions>()('caller', {
  revision: someText,
  'answers capabilities': someObject,
  logLevel: oneOf(...logLevels),
})
const knownCaller = optionsOf<Caller>()({
  id: someText,
  scopes: someTexts,
  'anonymous countsAsOne stepsUp': trueOrFalse,
  expiresAt: someMoment,
})

const clientInfo = { name: 'toolwire-harness', version: '1.0.0' }
const everything: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

/**
 * Connects a client to a server in memory.
 *
 * @example
 * ```ts
 * const client = await harness(app)
 * const { content } = await client.call('ping')
 * ```
 */
export async function harness<T extends ToolSet>(served: Server<T>, options: HarnessOptions = {}): Promise<Harness<T>> {
  checkOptions('harness()', options, known)
  checkOptions('`caller`', options.caller, knownCaller)
  const app = served['~application']
  const { answers = {}, logLevel } = options
  const revision = pickRevision(app, options.revision)
  const capabilities = options.capabilities ?? (options.answers ? everything : {})
  // Passed on itself and not as a copy, because the local user's rate limit depends on identity.
  const caller = options.caller ? withGiven(localUser, options.caller) : localUser
  const wire = openWire(app, caller, (question) => answerQuestion(question, answers))
  const isHandshake = revision.style === 'handshake'
  const meta = {
    [metaKeys.protocolVersion]: revision.version,
    [metaKeys.clientInfo]: clientInfo,
    [metaKeys.clientCapabilities]: capabilities,
    ...(logLevel !== undefined && { [metaKeys.logLevel]: logLevel }),
  }
  const client = harnessClient(wire, isHandshake ? {} : meta, answers)
  if (isHandshake) {
    await client.request('initialize', { protocolVersion: revision.version, capabilities, clientInfo })
    client.notify('notifications/initialized')
    if (logLevel !== undefined) await client.request('logging/setLevel', { level: logLevel })
  }
  return Object.assign(client, { revision: revision.version, tools: callsOf<T>(client) })
}

function pickRevision({ revisions: revisionSet }: Application, version: string | undefined): Revision {
  const revision = version === undefined ? revisionSet.all[0] : revisionSet.find(version)
  if (!revision) throw new Error(`The server does not speak ${version}; it speaks ${revisionSet.versions.join(', ')}`)
  return revision
}

/** A proxy, so that tools which come and go at run time can be called too. */
function callsOf<T extends ToolSet>(client: HarnessClient): Calls<T> {
  const call =
    (name: string) =>
    async (input: JsonObject = {}) => {
      const result = await client.call(name, input, { meta: { [metaKeys.structured]: true } })
      if (result.isError) throw new ToolCallError(result)
      return structuredValue(result)
    }
  return new Proxy({}, { get: (_, name) => call(String(name)) }) as Calls<T> // its types come from the server's own
}
