// The view of the server that one check works with.
import type { JsonObject } from 'toolwire'
import { isObject } from './json.js'
import type { MessageRule } from './session/observations.js'
import { type RequestOutcome, resultOf, type Session } from './session/session.js'
import type { Stopwatch } from './session/stopwatch.js'
import type { TargetServer } from './session/target-server.js'
import type { Transcript } from './session/transcript.js'

export type Attempt = ReturnType<typeof attemptAt>

type AttemptParts = {
  readonly transcript: Transcript
  readonly lane: number
  /** Measures the waits for what several checks share. */
  readonly shared: Stopwatch
}

export function attemptAt(server: TargetServer, { transcript, lane, shared }: AttemptParts) {
  const { revision, options, target } = server
  const session = () => shared.during(server.sharedSession(transcript, lane))
  const opening = async (): Promise<JsonObject> => (await session()).state.opening ?? {}
  const tools = () => server.tools(transcript)
  const samples = () => shared.during(server.samples(transcript, lane))
  return {
    revision,
    options,
    /** The endpoint, for a server over HTTP. */
    url: 'url' in target ? new URL(target.url) : undefined,
    session,
    /** The method of a request that the server answers with a result. */
    probe: server.probe,
    /** Sends a request in the session that the checks of a lane share. */
    ask: async (...request: Parameters<Session['ask']>): Promise<RequestOutcome> => (await session()).ask(...request),
    newSession: () => server.newSession(transcript),
    /** Sends a request in a new session without opening it. A program may have to be started first. */
    requestFirst: async (method: string, params?: JsonObject): Promise<RequestOutcome> =>
      (await server.unopenedSession(transcript)).ask(method, params, { ms: server.firstMs }),
    /** Sends a request of another revision; messages of that connection do not count as received in this one. */
    async requestAside(method: string, params?: JsonObject): Promise<RequestOutcome> {
      const session = await server.unopenedSession(transcript, { aside: true })
      return session.ask(method, params, { ms: server.firstMs })
    },
    opening,
    async capabilities(): Promise<JsonObject> {
      const { capabilities } = await opening()
      return isObject(capabilities) ? capabilities : {}
    },
    pages: () => server.pages(transcript),
    tools,
    samples,
    /** Results of the sample calls. */
    results: async (): Promise<{ tool: JsonObject; result: JsonObject }[]> =>
      (await samples()).flatMap(({ tool, answered }) => {
        const result = resultOf(answered.response)
        return result && result.resultType !== 'input_required' ? [{ tool, result }] : []
      }),
    /** Tools that may be called with any arguments, and arguments that their schemas accept. */
    freelyCallable: async (): Promise<{ tool: JsonObject; args: JsonObject }[]> =>
      (await tools()).flatMap((tool) => {
        const args = server.isFreelyCallable(tool) ? server.argumentsFor(tool) : undefined
        return args ? [{ tool, args }] : []
      }),
    /** All messages of this revision that concern a rule. */
    observed: (rule: MessageRule) => server.observations.of(rule),
    /** Progress that the server has reported in this revision. */
    reports: server.progress.reports,
    /** The first lines of output on stdio that are no messages. */
    strays: server.strays,
  }
}
