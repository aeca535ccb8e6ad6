// Calls through the management API: they take the road of every other call, as the caller who makes them.
import { randomUUID } from 'node:crypto'
import type { Caller, JsonObject, Server } from 'toolwire'
import { connect, memoryRevisions } from 'toolwire/client'
import type { HttpOptions } from 'toolwire/node'
import { patientMeta } from '../../guard/patient-meta.js'
import type { CallObserver } from '../../monitoring/call-observer.js'
import type { CallRequest } from './control.js'

const ticketHeader = 'x-toolwire-ticket'
const internalUrl = 'http://gateway.invalid/mcp'
/** A person may have to think about it first. */
const patience = { idleMs: 900_000, totalMs: 3_600_000 }

type Called = { readonly name: string; readonly args: JsonObject; readonly observer: CallObserver }

export class ApiCalls {
  readonly #tickets = new Map<string, Caller>()
  /** For the server: who comes with a ticket is who it was given to. No other request reaches it on this way. */
  readonly http: HttpOptions = {
    hosts: 'any',
    authenticate: ({ header }) => this.#tickets.get(header(ticketHeader) ?? ''),
  }

  async call(app: Server, { name, args, observer }: Called, calling: CallRequest): Promise<JsonObject> {
    const { signal, answers, onBegun, onProgress = () => undefined } = calling
    // An object of its own, by which this call is told from others of the same caller.
    const caller = { ...calling.caller }
    const ticket = randomUUID()
    this.#tickets.set(ticket, caller)
    const unheard = onBegun && observer.onCallOf(caller, onBegun)
    try {
      await using client = await connect(internalUrl, {
        fetch: (request) => app.fetch(request),
        headers: { [ticketHeader]: ticket },
        guard: { audit: false, rateLimit: false, sanitize: false },
        verdicts: memoryRevisions(),
        listFirst: false,
        // A task would hide the progress from the caller.
        tasks: false,
        limits: patience,
        onWarning: () => undefined,
        signal,
        ...(answers && { answers }),
      })
      const { content, isError, structuredContent, _meta } = await client.call(name, args, {
        signal,
        onProgress,
        meta: { [patientMeta]: true },
      })
      const result = { content, isError: isError === true, structuredContent, _meta }
      return JSON.parse(JSON.stringify(result)) as JsonObject // what came as JSON
    } finally {
      unheard?.()
      this.#tickets.delete(ticket)
    }
  }
}
