// A call, from its arguments to its result.

import { abortSignalOf } from '../../bounds/cancel-token.js'
import { LinkedAbortController } from '../../bounds/linked-abort-controller.js'
import { isObject, type JsonObject } from '../../json.js'
import { codes, RpcError } from '../../jsonrpc/error.js'
import { TransportError } from '../../peer/client-transport.js'
import { frozenArguments } from '../../policy/frozen-copy.js'
import { chainsAround, type Next, type Policy } from '../../policy/policy.js'
import { protocolCodes } from '../../revisions/protocol-codes.js'
import type { Revision } from '../../revisions/revision.js'
import { printableName } from '../../text/printable-name.js'
import type { CallResult } from '../../tools/call-result.js'
import { localUser } from '../../tools/caller.js'
import { checkMetaKeys } from '../../tools/checks/meta-keys.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import type { ReadyTool } from '../../tools/tool.js'
import type { CallOptions } from '../client.js'
import { outcomeUnknown } from '../connection/call-failures.js'
import { CallFailure, type CallFailureCode, InvalidArguments, SessionEnded } from '../errors.js'
import { type InputContext, isCompleteResult, requestWithInput } from '../questions/input-rounds.js'
import type { RequestScopes } from '../questions/request-scopes.js'
import type { ServerTextCleaner } from '../server-text-cleaner.js'
import { taskInResult, waitForTask } from '../tasks/wait-for-task.js'
import { waitFor } from '../wait-for.js'
import { callContext, type OutgoingCallContext } from './call-context.js'
import { bindToTool, type CallRequest, callRequest } from './call-request.js'
import { KnownTool } from './known-tool.js'
import { isSameDefinition, type KnownTools } from './known-tools.js'
import { readResult } from './read-result.js'
import { type UnlistedTool, unlistedTool } from './unlisted-tool.js'

type ToolCallerOptions = InputContext & {
  readonly scopes: RequestScopes
  readonly server: string
  readonly knownTools: KnownTools
  readonly policies: readonly Policy[]
  /** True if a policy may judge the tool, wait, or stop the call. The tool must then be known, and unchanged when the call is sent. */
  readonly hasDecidingPolicy: boolean
  readonly listFirst: boolean
  /** Cleans the results that no policy sees. */
  readonly cleaner: () => Promise<ServerTextCleaner>
}

const mostPages = 10
/** Failures of a call's later requests that leave its outcome unknown. */
const inDoubtCodes: ReadonlySet<CallFailureCode> = new Set(['disconnected', 'timed_out'])

/** The session in which the policies allowed the call is over, and the call was not made. */
const isSessionLost = (thrown: unknown): thrown is CallFailure =>
  thrown instanceof SessionEnded ||
  (thrown instanceof CallFailure && thrown.cause instanceof TransportError && thrown.cause.code === 'session-gone')

export class ToolCaller {
  readonly #options: ToolCallerOptions
  readonly #chainFor: (tool: ReadyTool) => Next
  /** No entry: not yet computed; undefined: no policy applies to the tool. */
  readonly #chains = new WeakMap<ReadyTool, Next | undefined>()
  /** Errors of calls that were not carried out. Errors of a call's later requests are never here. */
  readonly #notCarriedOut = new WeakSet<Error>()
  #checkedMeta: JsonObject | undefined

  constructor(options: ToolCallerOptions) {
    this.#options = options
    this.#chainFor = chainsAround(options.policies, deliverCall)
  }

  call(name: string, args: JsonObject, options: CallOptions): Promise<CallResult> {
    return this.#options.scopes.during(options, (scope) => this.#call(name, args, callRequest(options, scope)))
  }

  async #call(name: string, args: JsonObject, options: CallRequest): Promise<CallResult> {
    const { knownTools } = this.#options
    const started = performance.now()
    if (!isObject(args)) throw new InvalidArguments(`The arguments of ${printableName(name)} must be an object`, 'client')
    if (options.meta) this.#checkMeta(options.meta)
    try {
      return await this.#attempt(name, args, options)
    } catch (thrown) {
      if (!(thrown instanceof Error && this.#notCarriedOut.has(thrown))) throw thrown
      // Made once more, with the current definitions.
      const found = knownTools.find(name).catch(() => Promise.reject(thrown))
      await waitFor(found, withTimeLeft(options, started), `tools/call of ${printableName(name)}`)
      options.sessionNumber = undefined
      return this.#attempt(name, args, withTimeLeft(options, started))
    }
  }

  /** Immutable values are checked once, because a caller may pass the same one with every call. */
  #checkMeta(meta: JsonObject): void {
    if (meta === this.#checkedMeta) return
    checkMetaKeys(meta)
    if (Object.isFrozen(meta)) this.#checkedMeta = meta
  }

  /** Only for the error of the request that makes the call: after an answer to it, the call may have been carried out. */
  #checkIfCarriedOut(thrown: unknown, { sessionNumber }: CallRequest): void {
    const isOutOfDate = this.#isOutOfDate(thrown)
    if (isOutOfDate) this.#options.knownTools.markStale()
    if (isOutOfDate || (sessionNumber !== undefined && isSessionLost(thrown))) this.#notCarriedOut.add(thrown)
  }

  /** A mismatch of headers and body means an outdated definition. It is only possible where headers repeat arguments. */
  #isOutOfDate(thrown: unknown): thrown is RpcError {
    if (!(thrown instanceof RpcError) || thrown.code !== protocolCodes.headerMismatch) return false
    const { connection } = this.#options
    return connection.revision.http.mirrored && connection.current?.transport.shape === 'posts'
  }

  /** Fast path: most calls need neither a new connection nor a request for the list. */
  #attempt(name: string, args: JsonObject, options: CallRequest): Promise<CallResult> {
    const { connection, knownTools } = this.#options
    const known = connection.current ? knownTools.known(name) : undefined
    return known ? this.#guarded(known, args, options) : this.#connectAndCall(name, args, options)
  }

  /** Connects and looks up the tool first. The time for both counts towards the call's `totalMs`. */
  async #connectAndCall(name: string, args: JsonObject, options: CallRequest): Promise<CallResult> {
    const { connection, knownTools, listFirst, hasDecidingPolicy } = this.#options
    const started = performance.now()
    const found = async () => {
      await connection.session()
      return knownTools.known(name) ?? (listFirst || hasDecidingPolicy ? knownTools.find(name) : undefined)
    }
    const tool = (await waitFor(found(), options, `tools/call of ${printableName(name)}`)) ?? unlistedTool(name)
    return this.#guarded(tool, args, withTimeLeft(options, started))
  }

  resume(taskId: string, options: CallOptions & { tool?: string }): Promise<CallResult> {
    return this.#options.scopes.during(options, (scope) => this.#resume(taskId, options.tool, callRequest(options, scope)))
  }

  async #resume(taskId: string, name: string | undefined, options: CallRequest): Promise<CallResult> {
    const { connection, knownTools } = this.#options
    const started = performance.now()
    const found = async () => {
      await connection.session()
      return name === undefined ? undefined : knownTools.find(name)
    }
    const tool = await waitFor(found(), options, `the task ${printableName(taskId)}`)
    const { signal, totalMs = connection.limits.totalMs } = withTimeLeft(options, started)
    const first = await connection.request('tasks/get', { taskId }, { totalMs, ...(signal && { signal }) })
    // Waiting again is harmless.
    const waiting = { ...withTimeLeft(options, started), repeatable: true }
    const result = readResult(await waitForTask(first, this.#options, waiting), tool, connection.revisionOf(first))
    const words = await this.#options.cleaner()
    return fromToolResult(await words.result(toToolResult(result)))
  }

  /** Runs the same policies as a server does, around a handler that calls the remote server. */
  #guarded(tool: CallableTool, given: JsonObject, options: CallRequest): Promise<CallResult> {
    if (this.#options.hasDecidingPolicy) return this.#callWithDecidingPolicies(tool, given, options)
    const chain = this.#chainAround(tool.ready)
    checkArguments(tool, given)
    return chain ? this.#callWithPolicies(tool, given, options, chain) : this.#send(tool, given, options)
  }

  /** Freezes the arguments, so that they cannot change after the policies have seen them. */
  async #callWithDecidingPolicies(tool: CallableTool, given: JsonObject, options: CallRequest): Promise<CallResult> {
    const args = frozenArguments(given)
    checkArguments(tool, args)
    const stop = new LinkedAbortController(options.signal)
    const { signal } = stop
    const deliver: Next = async (call) => {
      const started = performance.now()
      const own = { ...options, signal }
      const within = tool instanceof KnownTool ? await this.#checkUnchanged(tool, own) : undefined
      if (call.arguments !== args) checkArguments(tool, call.arguments)
      const meta = undefinedIfEmpty(call.context.meta)
      return toToolResult(await this.#send(tool, call.arguments, { ...withTimeLeft(own, started), meta, sessionNumber: within }))
    }
    try {
      const context = callContext(localUser, { signal, meta: options.meta ?? {}, abort: stop.abort, deliver })
      return await this.#runChain(this.#chainAround(tool.ready) ?? deliverCall, tool, args, context)
    } finally {
      stop.release()
    }
  }

  /** Runs policies that neither wait nor change the call (audit, rate limit, sanitize). Most calls need no others. */
  async #callWithPolicies(tool: CallableTool, args: JsonObject, options: CallRequest, chain: Next): Promise<CallResult> {
    const deliver: Next = async () => toToolResult(await this.#send(tool, args, options))
    const { signal = neverAborted, meta = {} } = options
    const context = callContext(localUser, { signal: abortSignalOf(signal), meta, abort: nothing, deliver })
    return this.#runChain(chain, tool, args, context)
  }

  async #runChain(chain: Next, { ready }: CallableTool, args: JsonObject, context: OutgoingCallContext): Promise<CallResult> {
    const { server } = this.#options
    return fromToolResult(await chain({ tool: ready, server, arguments: args, input: args, caller: localUser, context }))
  }

  /** Returns the policies around a tool, or undefined if none apply. They lead to the `deliver` function in each call's context. */
  #chainAround(tool: ReadyTool): Next | undefined {
    const known = this.#chains.get(tool)
    if (known || this.#chains.has(tool)) return known
    const chain = this.#chainFor(tool)
    const made = chain === deliverCall ? undefined : chain
    this.#chains.set(tool, made)
    return made
  }

  /** Checks that the tool is unchanged, because an approval may take long. Returns the number of the session to send the call in. */
  async #checkUnchanged(tool: KnownTool, options: CallRequest): Promise<number> {
    const { number, now } = await this.#findNow(tool.name, options)
    if (await isSameDefinition(now, tool)) return number
    const why = `The definition of ${tool.name} has changed since the call was checked; nothing was sent`
    throw new Refusal('definition-changed', why)
  }

  /** The tool as the current session lists it, and the number of that session. */
  #findNow(name: string, options: CallRequest): Promise<FoundTool> {
    const { connection, knownTools } = this.#options
    const found = async () => {
      // Read before the lookup: if the session ends meanwhile, the call is not sent in another one.
      const { number } = await connection.session()
      return { number, now: knownTools.known(name) ?? (await knownTools.find(name, { current: true })) }
    }
    return waitFor(found(), options, `tools/call of ${printableName(name)}`)
  }

  /** With `beforeSend`, the tool is shown to it as listed in the very session in which the call is then sent. */
  #send(callable: CallableTool, args: JsonObject, options: CallRequest): Promise<CallResult> {
    if (!options.beforeSend) return this.#request(callable, args, options)
    const { connection, knownTools } = this.#options
    const { current } = connection
    const now = current && knownTools.known(callable.name)
    if (now) return this.#confirmAndSend({ number: current.number, now }, args, options)
    const started = performance.now()
    return this.#findNow(callable.name, options).then((found) =>
      this.#confirmAndSend(found, args, withTimeLeft(options, started)),
    )
  }

  #confirmAndSend({ number, now }: FoundTool, args: JsonObject, options: CallRequest): Promise<CallResult> {
    const confirming = options.beforeSend?.(now)
    options.sessionNumber ??= number
    return confirming ? confirming.then(() => this.#request(now, args, options)) : this.#request(now, args, options)
  }

  #request(callable: CallableTool, args: JsonObject, options: CallRequest): Promise<CallResult> {
    const { connection } = this.#options
    const { name } = callable
    const tool = callable instanceof KnownTool ? callable : undefined
    const asTask = tool !== undefined && this.#mustBeTask(tool, options)
    let id: number | undefined
    const began = (number: number) => {
      id = number
    }
    const sending = bindToTool(tool, args, asTask ? { ...options, began } : options)
    const sentAt = performance.now()
    const params: JsonObject = asTask ? { name, arguments: args, task: {} } : { name, arguments: args }
    return connection.request('tools/call', params, sending).then(
      (result) => {
        const revision = connection.revisionOf(result)
        if (isCompleteResult(result, 'tools/call', revision) && !taskInResult(result, taskKindsIn(revision, asTask)))
          return readResult(result, tool, revision)
        return this.#continueCall({ result, sentAt }, { params, asTask, tool, sending, id })
      },
      (thrown) => {
        this.#checkIfCarriedOut(thrown, options)
        return this.#rethrow(thrown, options)
      },
    )
  }

  /** Continues a call that was answered with a question or a task. */
  async #continueCall(begun: { result: JsonObject; sentAt: number }, sent: SentCall): Promise<CallResult> {
    const { params, asTask, tool, sending, id } = sent
    try {
      const { result, leftMs } = await requestWithInput(this.#options, { method: 'tools/call', params, begun }, sending)
      const revision = this.#options.connection.revisionOf(result)
      const task = taskInResult(result, taskKindsIn(revision, asTask))
      const waiting = sending.totalMs === undefined ? sending : { ...sending, totalMs: leftMs }
      return readResult(task ? await this.#waitForTask(task, id, waiting) : result, tool, revision)
    } catch (thrown) {
      const isInDoubt = thrown instanceof CallFailure && !sending.repeatable && inDoubtCodes.has(thrown.code)
      return this.#rethrow(isInDoubt ? outcomeUnknown(thrown) : thrown, sending)
    }
  }

  async #rethrow(thrown: unknown, options: CallRequest): Promise<never> {
    if (!(thrown instanceof RpcError)) throw thrown
    if (thrown.code === this.#options.connection.revision.errors.urlRequired) await this.#showPages(thrown, options)
    if (thrown.code !== codes.invalidParams) throw thrown
    // The tool may be gone or changed, so the list has to be read again.
    this.#options.knownTools.markStale()
    throw Object.assign(new InvalidArguments(thrown.message, 'server'), { cause: thrown })
  }

  /** Shows the pages that the server wants visited first. The caller decides when to retry. */
  async #showPages({ data }: RpcError, { scope, signal = neverAborted }: CallRequest): Promise<void> {
    const elicitationHandler = scope?.elicitationHandler ?? this.#options.elicitationHandler
    const pages = isObject(data) && Array.isArray(data.elicitations) && elicitationHandler.showsPages ? data.elicitations : []
    const about = { revision: this.#options.connection.revision, signal: abortSignalOf(signal) }
    for (const page of pages.slice(0, mostPages))
      if (isObject(page)) await elicitationHandler.answer('elicitation/create', { mode: 'url', ...page }, about)
  }

  /** The call's progress token stays valid as long as its task. spec 2025-11-25, basic/utilities/tasks#task-progress-notifications */
  async #waitForTask(task: JsonObject, id: number | undefined, options: CallRequest): Promise<JsonObject> {
    const { onProgress } = options
    const stop = id !== undefined && onProgress ? this.#options.connection.current?.listenAfterAnswer(id, onProgress) : undefined
    try {
      return await waitForTask(task, this.#options, options)
    } finally {
      stop?.()
    }
  }

  /** True if the server supports task calls, and the tool requires one or allows the one that the caller wants. */
  #mustBeTask(tool: KnownTool, { asTask = false }: CallRequest): boolean {
    const { connection } = this.#options
    const { taskSupport } = tool
    if (connection.revision.tasks !== 'on-request' || !taskSupport || (taskSupport === 'optional' && !asTask)) return false
    const tasks = connection.about.capabilities.tasks
    const requests = isObject(tasks) && isObject(tasks.requests) ? tasks.requests : {}
    if (isObject(requests.tools) && requests.tools.call !== undefined) return true
    if (taskSupport === 'optional') return false
    throw new CallFailure('not_offered', `${tool.name} can only be called as a task, and the server does not offer tasks`)
  }
}

type CallableTool = KnownTool | UnlistedTool
type FoundTool = { readonly number: number; readonly now: KnownTool }
type SentCall = {
  readonly params: JsonObject
  readonly asTask: boolean
  readonly tool: KnownTool | undefined
  readonly sending: CallRequest
  readonly id: number | undefined
}

const withTimeLeft = (options: CallRequest, started: number): CallRequest =>
  options.totalMs === undefined ? options : { ...options, totalMs: options.totalMs - (performance.now() - started) }

const deliverCall: Next = (call) => (call.context as OutgoingCallContext).deliver(call) // #callWithDecidingPolicies and #callWithPolicies put it there

function checkArguments(tool: CallableTool, args: JsonObject): void {
  const misfit = tool instanceof KnownTool ? tool.misfit(args) : undefined
  if (misfit !== undefined) throw new InvalidArguments(`Invalid arguments for ${tool.name}: ${misfit}`, 'client')
}

/** The signal of calls that have none of their own. It never aborts, and listeners stay no longer than their call. */
const neverAborted = new AbortController().signal
const nothing = () => undefined

const undefinedIfEmpty = (meta: JsonObject): JsonObject | undefined => (Object.keys(meta).length > 0 ? meta : undefined)

const taskKindsIn = (revision: Revision, asTask: boolean) => (asTask || revision.tasks === 'extension' ? revision.tasks : 'none')

// Member by member: spreading takes several times as long.
function toToolResult({ content, isError, structuredContent, _meta }: CallResult): ToolResult {
  const result: Writable<ToolResult> = { content, isError: isError === true }
  if (structuredContent !== undefined) result.structured = structuredContent
  if (_meta) result.meta = _meta
  return result
}

function fromToolResult({ content, isError, structured, meta }: ToolResult): CallResult {
  const result: CallResult = { content: [...content], isError }
  if (structured !== undefined) result.structuredContent = structured
  if (meta) result._meta = meta
  return result
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }
