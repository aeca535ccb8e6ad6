// One upstream server: opened on first use, reopened after a lost connection, and not retried for a while after failures. An Upstream
// always stands for the same server. If its program is replaced on disk, it does not start again, and a new Upstream must take its place.
import { type Caller, RpcError } from 'toolwire'
import { type Client, TransportError } from 'toolwire/client'
import { bounds, type types } from 'toolwire/relay'
import type { UpstreamConfig } from '../config/gateway-config.js'
import { type ServerIdentity, serverIdentifier } from '../config/servers/server-identity.js'
import { callerConnections } from './caller-connections.js'
import { CircuitBreaker } from './circuit-breaker.js'
import { needsLoginIn } from './logins/needs-login.js'
import { openClient, openFailureOf, type UpstreamClientOptions } from './open-client.js'
import { UpstreamUnavailable } from './unavailable.js'
import type { UpstreamState, UpstreamStatus } from './upstream-status.js'

const firstRetryMs = 1_000

const retryGrowth = 2

const longestRetryMs = 120_000

/** The delay after several failures in a row: growing, and random, so that clients of a lost server do not reconnect together. */
export const backoff = (failures: number, random: () => number = Math.random): number =>
  Math.min(firstRetryMs * retryGrowth ** Math.max(0, failures - 1), longestRetryMs) * (0.5 + random() / 2)

/** A change of an upstream: its status, its lists, or that another server has taken its place. */
export type UpstreamChange = types.Change | { readonly kind: 'status' | 'replaced' }

/** A server that ends sooner than this counts as failed to start. */
const stableAfterMs = 10_000
/** Time before the next attempt without a login; the server may have asked for a login by mistake. */
const loginHoldMs = 60_000

export class Upstream {
  /** The operator's current config. */
  config: UpstreamConfig
  readonly #options: UpstreamClientOptions
  readonly #breaker = new CircuitBreaker()
  readonly #listeners = new Set<(change: UpstreamChange) => void>()
  readonly #closing = new AbortController()
  readonly #callerConnections: ReturnType<typeof callerConnections<Upstream>> | undefined
  #identity: ServerIdentity | undefined
  #isReplaced = false
  #status: UpstreamStatus = { state: 'idle', since: Date.now(), restarts: 0 }
  #client: Client | undefined
  #opening: Promise<Client> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #retryAt = 0
  #readyAt = 0

  constructor(config: UpstreamConfig, options: UpstreamClientOptions = {}) {
    const { authOf, ...rest } = options
    this.config = config
    this.#options = rest
    this.#callerConnections =
      authOf && callerConnections({ authOf, open: (auth) => new Upstream(this.config, { ...rest, auth }) })
  }

  get id(): string {
    return this.config.id
  }

  /** The identity of the server; known once the server has been reached. */
  get identity(): ServerIdentity {
    if (!this.#identity) throw new Error(`${this.id} has not connected yet, so its identity is unknown`)
    return this.#identity
  }

  get status(): UpstreamStatus {
    const retryInMs = Math.max(0, Math.round(this.#retryAt - performance.now()))
    return this.#timer ? { ...this.#status, retryInMs } : this.#status
  }

  /** Opens the upstream and keeps it open. Resolves after the first attempt, whether it succeeds or fails. */
  async start(): Promise<void> {
    await this.client().catch(() => undefined) // the status has the reason, and another attempt follows
  }

  /** The open client. Throws UpstreamUnavailable at once while waiting would be pointless. */
  client(): Promise<Client> {
    if (this.#open) return Promise.resolve(this.#open)
    if (this.#closing.signal.aborted) return Promise.reject(new UpstreamUnavailable(`${this.id} is no longer offered`))
    if (this.#status.state === 'needs login' && performance.now() < this.#retryAt) return Promise.reject(this.#unavailable())
    // Another call is already trying; the others must not wait for a server that has failed repeatedly.
    if (this.#opening && this.#breaker.isOpen) return Promise.reject(this.#unavailable())
    this.#opening ??= this.#attempt().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Sends a request, and updates the status by its outcome. */
  use<T>(ask: (client: Client) => Promise<T>, signal?: types.CancelToken): Promise<T> {
    const client = this.#open
    if (client) return this.#noteOutcome(ask(client))
    const opening = this.client()
    // Other callers may wait for the same connection.
    const wanted = signal ? Promise.race([bounds.rejectOnAbort(signal), opening]) : opening
    return wanted.then((opened) => this.#noteOutcome(ask(opened)))
  }

  #noteOutcome<T>(asking: Promise<T>): Promise<T> {
    const readyAt = this.#readyAt
    // One outage fails all requests in flight. Only the first of them shows a failure of this connection.
    const isCurrent = () => this.#status.state === 'ready' && this.#readyAt === readyAt
    return asking.then(
      (answer) => {
        this.#noteStability()
        return answer
      },
      (thrown) => {
        const needsLogin = needsLoginIn(thrown)
        if (needsLogin || (isUnreachable(thrown) && isCurrent())) this.#fail(thrown)
        throw needsLogin ? this.#unavailable(thrown) : thrown
      },
    )
  }

  /** True if each caller has a login and a connection of its own. */
  get isPerCaller(): boolean {
    return this.#callerConnections !== undefined
  }

  /** Sends a request for a caller, on the caller's own connection if the upstream must know the caller. */
  useFor<T>(caller: Caller, ask: (client: Client) => Promise<T>, signal?: types.CancelToken): Promise<T> {
    if (!this.#callerConnections || this.#closing.signal.aborted) return this.use(ask, signal)
    return this.#callerConnections.use(caller, (own) => own.use(ask, signal))
  }

  /** Has the tools listed again, because a call has found another definition than the listed one. */
  listAgain(): void {
    this.#notify({ kind: 'tools' })
  }

  /** Closes the connection of a caller whose login has changed. */
  forgetCaller(id: string): void {
    this.#callerConnections?.forget(id)
  }

  /** Calls the listener on each change, until the returned function is called. */
  onChange(listener: (change: UpstreamChange) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return
    this.#closing.abort(new UpstreamUnavailable(`${this.id} was closed`))
    this.#unschedule()
    this.#setStatus('closed')
    this.#listeners.clear()
    await this.#opening?.catch(() => undefined) // it was aborted above
    await Promise.all([this.#client?.close(), this.#callerConnections?.close()])
  }

  get #open(): Client | undefined {
    return this.#status.state === 'ready' ? this.#client : undefined
  }

  async #attempt(): Promise<Client> {
    if (!this.#breaker.tryAdmit()) throw this.#unavailable()
    this.#unschedule()
    this.#setStatus('opening')
    try {
      const client = await (this.#client ? checkAlive(this.#client) : this.#connect())
      this.#checkUnchanged(client)
      this.#ready(client)
      return client
    } catch (thrown) {
      this.#fail(thrown)
      throw this.#unavailable(thrown)
    }
  }

  async #connect(): Promise<Client> {
    const beforeStart = () => this.#identify()
    if (this.config.target.kind !== 'child') await beforeStart()
    const client = await openClient({
      config: this.config,
      options: this.#options,
      signal: this.#closing.signal,
      beforeStart,
      onSession: (event) => {
        if (event.kind === 'begun') this.#onNewSession()
        else if (this.#status.state === 'ready') this.#fail(event.why)
      },
    })
    this.#client = client
    client.onChange((change) => this.#notify(change))
    return client
  }

  /** Identifies the server; throws if it is another server than before. */
  async #identify(): Promise<void> {
    const identify = this.#options.identify ?? serverIdentifier('')
    const identity = await identify(this.config)
    if (this.#identity && this.#identity.id !== identity.id) {
      this.#isReplaced = true
      throw new Error(replacedReason)
    }
    this.#identity = identity
  }

  /** After its connection has ended, a client opens a new one with the next request. */
  #onNewSession(): void {
    if (!this.#client || this.#status.state !== 'ready') return
    try {
      this.#checkUnchanged(this.#client)
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** Rejects the new process if a file was replaced between the check and the start. */
  #checkUnchanged(client: Client): void {
    if (this.identity.isUnchanged()) return
    this.#client = undefined
    void client.close()
    throw new Error('a file of its command changed while the command was starting')
  }

  #ready(client: Client): void {
    if (this.#closing.signal.aborted) return
    this.#unschedule()
    const again = this.#readyAt > 0
    this.#readyAt = performance.now()
    const { revision } = client.server
    this.#setStatus('ready', { revision, restarts: this.#status.restarts + (again ? 1 : 0) })
  }

  #fail(thrown: unknown): void {
    if (this.#closing.signal.aborted) return
    this.#noteStability()
    const needsLogin = needsLoginIn(thrown)
    this.#unschedule()
    if (needsLogin) {
      this.#breaker.succeed() // the server has responded
      this.#retryAt = performance.now() + loginHoldMs
      this.#setStatus('needs login', { why: needsLogin.message })
    } else {
      this.#breaker.fail()
      this.#setStatus(this.#breaker.isOpen ? 'broken' : 'failing', { why: openFailureOf(thrown, this.config.target) })
      const ms = Math.max(backoff(this.#breaker.failures, this.#options.random), this.#breaker.waitMs)
      this.#retryAt = performance.now() + ms
      this.#timer = setTimeout(() => void this.start(), ms + 1)
      this.#timer.unref()
    }
    if (this.#isReplaced) this.#notify({ kind: 'replaced' })
  }

  /** Forgives earlier failures once a connection has been stable for a while. */
  #noteStability(): void {
    if (this.#status.state === 'ready' && performance.now() - this.#readyAt >= stableAfterMs) this.#breaker.succeed()
  }

  #unschedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #setStatus(state: UpstreamState, about: Partial<UpstreamStatus> = {}): void {
    const { why, since, ...before } = this.#status
    const kept = state === 'opening' && why !== undefined ? { why } : {}
    this.#status = { ...before, ...kept, ...about, state, since: this.#status.state === state ? since : Date.now() }
    this.#notify({ kind: 'status' })
  }

  #notify(change: UpstreamChange): void {
    for (const listener of this.#listeners) listener(change)
  }

  #unavailable(cause?: unknown): UpstreamUnavailable {
    if (this.#status.state === 'needs login')
      return new UpstreamUnavailable(this.#status.why ?? `${this.id} needs a login`, { cause })
    const triedAfterMs = Math.max(0, this.#retryAt - performance.now())
    // A call may try earlier than the automatic retry.
    const retryAfterMs = this.#breaker.isOpen ? Math.min(triedAfterMs, this.#breaker.waitMs) : triedAfterMs
    const why = this.#status.why ?? 'the server cannot be reached'
    const next = `the gateway retries in ${Math.ceil(retryAfterMs / 1_000)} s`
    return new UpstreamUnavailable(`The server ${this.id} is not available: ${why}; ${next}`, { cause, retryAfterMs })
  }
}

const replacedReason = 'its command now runs a different program; its tools are withheld until you accept them (toolwire pins)'

/** Checks that the server is alive; any response shows that, even an error. */
async function checkAlive(client: Client): Promise<Client> {
  await client.ping().catch((thrown) => {
    if (!(thrown instanceof RpcError)) throw thrown
  })
  return client
}

const isUnreachable = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.cause instanceof TransportError && thrown.cause.code === 'unreachable'
