// Calls through the management API. They take the same path as all other calls, as the caller who makes them.
import { randomUUID } from 'node:crypto'
import type { Caller, JsonObject, Server } from 'toolwire'
import { connect, memoryRevisions } from 'toolwire/client'
import type { HttpOptions } from 'toolwire/node'
import { patientMeta } from '../../guard/patient-meta.js'
import type { CallObserver } from '../../monitoring/call-observer.js'
import type { CallRequest } from './control.js'

const ticketHeader = 'x-toolwire-ticket'
const internalUrl = 'http://gateway.invalid/mcp'
/** A person may have to approve the call first. */
const patience = { idleMs: 900_000, totalMs: 3_600_000 }

type Called = { readonly name: string; readonly args: JsonObject; readonly observer: CallObserver }

export class ApiCalls {
  readonly #tickets = new Map<string, Caller>()
  /** For the server: a ticket identifies its caller. No other request can reach the server on this path. */
  readonly http: HttpOptions = {
    hosts: 'any',
    authenticate: ({ header }) => this.#tickets.get(header(ticketHeader) ?? ''),
  }

  async call(app: Server, { name, args, observer }: Called, calling: CallRequest): Promise<JsonObject> {
    const { signal, answers, onBegun, onProgress = () => undefined } = calling
    // A separate object, so that this call can be told from others of the same caller.
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
      return JSON.parse(JSON.stringify(result)) as JsonObject // it came as JSON
    } finally {
      unheard?.()
      this.#tickets.delete(ticket)
    }
  }
}
