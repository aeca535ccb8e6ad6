// Forwards one request to an upstream, and its questions to the caller. If the caller's revision takes questions as results, this run ends
// with the question. The upstream's call is suspended, and the next run resumes it.

import { type Context, type Json, RpcError, ToolError } from 'toolwire'
import type { Client, RemoteTool } from 'toolwire/client'
import { Suspension, type types } from 'toolwire/relay'
import { isObject } from '../json/is-object.js'
import {
  type BeforeSend,
  type OnProgress,
  type RelayEnd,
  SuspendedCall,
  type SuspensibleOptions,
} from '../upstreams/suspended-call.js'
import type { Upstream } from '../upstreams/upstream.js'
import { askAll, type QuestionSource } from './ask-caller.js'
import { callerRequest } from './forwarding.js'
import type { SuspendedCalls } from './suspended-calls.js'

const suspendedKey = 'parked'

export type RelayOptions<T> = {
  /** The upstream that receives the request and may ask questions. */
  readonly upstream: Upstream
  readonly ask: (client: Client, options: SuspensibleOptions) => Promise<T>
  /** Throws if the upstream now lists another tool than the one that was called. */
  readonly checkTool?: (listed: RemoteTool) => void
  /** The arguments, which stay in memory as long as the caller is asked. */
  readonly params: unknown
  /** Receives the progress, in addition to the caller. */
  readonly onProgress?: OnProgress | undefined
  /** Does a value mean failure? If the caller could not be asked, that is then reported as the cause. */
  readonly isFailure?: (value: T) => boolean
}

/** The result or the failure of the request at the upstream. Throws a Suspension, or an error that the caller must get instead. */
export async function relayCall<T>(ctx: Context, suspendedCalls: SuspendedCalls, options: RelayOptions<T>): Promise<RelayEnd<T>> {
  const { cancelToken } = ctx
  const run: Run<T> = ctx.resumed ? await resumeCall(ctx, suspendedCalls, options) : { call: beginCall(ctx, options) }
  const { call } = run
  const stop = () => call.cancel(cancelToken.reason)
  if (cancelToken.aborted) stop()
  else cancelToken.addEventListener('abort', stop)
  call.audience = ctx
  try {
    const end = await endOf(run, ctx, { suspendedCalls, server: options.upstream.id, params: options.params })
    // The code that aborted the call has chosen the caller's error.
    if (end.kind === 'failed' && cancelToken.reason instanceof RpcError) throw cancelToken.reason
    const lacking = end.kind === 'failed' && missingCapabilityError(end.why, ctx.ask)
    if (lacking) throw lacking
    if (run.askFailure && (end.kind === 'failed' || options.isFailure?.(end.value))) throw run.askFailure
    if (run.place !== undefined) suspendedCalls.forget(run.place)
    return end
  } catch (thrown) {
    const isSuspended = thrown instanceof Suspension
    if (!isSuspended) call.cancel(thrown)
    if (run.place !== undefined) suspendedCalls[isSuspended ? 'wait' : 'forget'](run.place)
    throw thrown
  } finally {
    call.audience = undefined
    cancelToken.removeEventListener('abort', stop)
  }
}

type Run<T> = {
  readonly call: SuspendedCall<T>
  /** The id of the suspended call between two requests of its caller. */
  place?: string
  /** The reason that the caller could not be asked, if there is one. */
  askFailure?: Error
}

function beginCall<T>(ctx: Context, { upstream, ask, checkTool, onProgress }: RelayOptions<T>): SuspendedCall<T> {
  const begin = (options: SuspensibleOptions) => upstream.useFor(ctx.caller, (client) => ask(client, options), options.signal)
  const beforeSend: BeforeSend = (listed) => {
    if (listed) checkTool?.(listed)
    return ctx.recheck?.()
  }
  return new SuspendedCall(begin, callerRequest(ctx), { onProgress, beforeSend })
}

/** The suspended call of an earlier run, or a new call if there is none. The call is never sent twice. */
async function resumeCall<T>(ctx: Context, suspendedCalls: SuspendedCalls, options: RelayOptions<T>): Promise<Run<T>> {
  const { once, caller } = ctx
  let made: SuspendedCall<T> | undefined
  const place = await once(suspendedKey, () => {
    made = beginCall(ctx, options)
    return suspendedCalls.keep(made, caller.id)
  })
  const call = made ?? suspendedCalls.find(place, caller.id)
  if (!call) throw new ToolError(lostCall)
  return { call: call as SuspendedCall<T>, place } // the resumed state belongs to this very request
}

const lostCall =
  'outcome_unknown: the suspended call was lost before this answer came, so the tool may or may not have run. The call was not repeated'

type Questioning = { readonly suspendedCalls: SuspendedCalls; readonly server: string; readonly params: unknown }

async function endOf<T>(run: Run<T>, ctx: Context, { suspendedCalls, server, params }: Questioning): Promise<RelayEnd<T>> {
  const { ask, caller, once } = ctx
  const { call } = run
  let step = await call.next()
  if ('kind' in step) return step
  const from: QuestionSource = {
    server,
    onQuestion: (question, put) => suspendedCalls.onQuestion({ caller, server, question }, put),
  }
  run.place ??= await once(suspendedKey, () => suspendedCalls.keep(call, caller.id))
  ctx.holdHere?.()
  const bytes = bytesOf([params, call.meta])
  while (!('kind' in step)) {
    suspendedCalls.measure(run.place, bytes + bytesOf(step))
    run.askFailure = (await askAll(step, ask, from)) ?? run.askFailure
    step = await call.next()
  }
  return step
}

const bytesOf = (value: readonly unknown[]): number => Buffer.byteLength(JSON.stringify(value))

/** spec 2026-07-28, basic/index#error-codes */
const missingCapability = -32021

/** If the upstream refused because the caller lacks a capability, the error for that in the caller's revision. */
function missingCapabilityError(why: unknown, ask: types.AskFunction): Error | undefined {
  if (!(why instanceof RpcError) || why.code !== missingCapability) return undefined
  const data = why.data as Json | undefined // it came as JSON
  const required = isObject(data) && isObject(data.requiredCapabilities) ? data.requiredCapabilities : {}
  if (required.sampling !== undefined) return ask.lacks('model')
  if (required.roots !== undefined) return ask.lacks('roots')
  if (required.elicitation === undefined) return undefined
  const pages = isObject(required.elicitation) && required.elicitation.url !== undefined
  return ask.lacks(pages ? 'url' : 'form')
}
