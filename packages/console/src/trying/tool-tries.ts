// The forms and trials of recently visited tools, kept while the page is open.
import { type Signal, signal } from '@preact/signals'
import { ApiError, deleteJson, pathSegment, postJson } from '../api/api.js'
import { onGatewayEvents } from '../api/event-feed.js'
import { gatewayNow } from '../api/gateway-clock.js'
import { readEvents } from '../api/read-events.js'
import type { EventData, Tool } from '../api/types.js'
import { type FormState, formStateFor } from '../schemas/form/form-state.js'
import type { Json } from '../schemas/json.js'
import { answeredTrial, begunTrial, endedTrial, newTrial, type Question, type Trial, trialAfter, waitingFor } from './trial.js'

export type ToolTry = {
  readonly tool: string
  readonly form: FormState
  readonly trial: Signal<Trial>
  /** Why the raw JSON is invalid. */
  readonly broken: Signal<string | undefined>
}

const kept = new Map<string, ToolTry>()
const mostKept = 20

/** The trial of a tool as the user left it; a changed definition starts a new one. */
export function toolTryOf({ name, hash, inputSchema }: Tool): ToolTry {
  const key = `${name} ${hash}`
  const known = kept.get(key)
  if (known) return known
  const made = { tool: name, form: formStateFor(inputSchema), trial: signal(newTrial), broken: signal(undefined) }
  kept.set(key, made)
  forgetOldest()
  return made
}

function forgetOldest(): void {
  for (const [key, { trial }] of kept) {
    if (kept.size <= mostKept) return
    if (trial.value.state !== 'running') kept.delete(key)
  }
}

/** Calls the tool and follows the call to its end. */
export async function beginTry({ tool, form, trial }: ToolTry): Promise<void> {
  trial.value = begunTrial(gatewayNow())
  const waiting = followWaiting(trial)
  try {
    await readEvents(`/tools/${pathSegment(tool)}/try`, {
      method: 'POST',
      body: { arguments: form.value.value },
      onEvent: (event) => {
        trial.value = trialAfter(trial.value, event, gatewayNow())
        if (event.kind === 'began') waiting.show()
      },
    })
    trial.value = endedTrial(trial.value, 'The gateway closed the event stream before the call ended.', gatewayNow())
  } catch (thrown) {
    trial.value = stopped(trial.value, thrown)
  } finally {
    waiting.stop()
  }
}

/** A request that the gateway refuses made no call. After a lost connection the outcome is unknown. */
function stopped(trial: Trial, thrown: unknown): Trial {
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  if (thrown instanceof ApiError && thrown.status >= 400)
    return trialAfter(trial, { kind: 'refused', data: { message: why } }, gatewayNow())
  return endedTrial(
    trial,
    `The connection to the gateway broke, so the outcome is unknown. See the audit log. (${why})`,
    gatewayNow(),
  )
}

/**
 * Follows approvals of the call. They come from the event stream of the page, not from that of the trial, so one may arrive before the id
 * of the call is known.
 */
function followWaiting(trial: Signal<Trial>): { show: () => void; stop: () => void } {
  const approvals = new Map<number, string>()
  const show = () => {
    const { call } = trial.value
    if (call !== undefined) trial.value = waitingFor(trial.value, approvals.get(call))
  }
  const over = new AbortController()
  function onCall(event: EventData['call']): void {
    // Progress comes from the trial's own stream.
    if (event.what === 'progress') return
    if (event.what === 'waiting' && event.waiting !== undefined) approvals.set(event.call, event.waiting)
    else approvals.delete(event.call)
    if (event.call === trial.value.call) show()
  }
  onGatewayEvents(['call'], onCall, over.signal)
  return { show, stop: () => over.abort() }
}

export async function cancelTry({ trial }: ToolTry): Promise<void> {
  const { call } = trial.value
  if (call !== undefined) await deleteJson(`/calls/${pathSegment(call)}`)
}

export async function answerQuestion(
  { trial }: ToolTry,
  id: string,
  reply: { action: NonNullable<Question['answer']>; content?: Json },
): Promise<void> {
  const { call } = trial.value
  if (call === undefined) return
  await postJson(`/calls/${pathSegment(call)}/answers/${pathSegment(id)}`, reply)
  trial.value = answeredTrial(trial.value, id, reply.action)
}
