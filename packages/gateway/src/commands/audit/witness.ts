import { homedir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from 'toolwire'
import { type WitnessPlace, witnessPlace } from '../../config/witness-place.js'
import { keepHead } from '../../gateway/witness/keep-head.js'
import { type SignedHead, signedIn } from '../../store/signed-head.js'
import { type Api, apiOf } from '../api/api.js'
import { exitCodes, misused, Trouble, unreachable } from '../exit-codes.js'
import { durationOf } from '../output/moment.js'
import { type Input, type Run, textOf } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import type { Terminal } from '../terminal/terminal.js'

export const run: Run = async (input, terminal) => {
  const place = placeFrom(input.operands[0] ?? '', input)
  const every = textOf(input, 'every')
  const everyMs = every === undefined ? undefined : durationOf(every, '--every')
  const api = apiOf(input)
  if (everyMs === undefined) return void show(await kept(api, place, input.signal), terminal)
  let last: string | undefined
  for (;;) {
    try {
      const head = await newHead(api, last)
      if (head) await keep(head, place, input.signal)
      if (head) show(head, terminal)
      last = head?.hash ?? last
    } catch (thrown) {
      // What is wrong now may be right the next time; what was typed stays wrong.
      if (input.signal.aborted || !(thrown instanceof Trouble) || thrown.exitCode === exitCodes.refused) throw thrown
      terminal.say(visibleLine(thrown.message))
    }
    await pause(everyMs, undefined, { signal: input.signal })
  }
}

/** As it was typed. */
export function placeFrom(text: string, { cwd }: Pick<Input, 'cwd'>): WitnessPlace {
  try {
    return witnessPlace(text, cwd, homedir())
  } catch (thrown) {
    throw misused(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

async function kept(api: Api, place: WitnessPlace, signal: AbortSignal): Promise<SignedHead> {
  const head = await newHead(api)
  if (!head) throw new Trouble('The log is empty, so there is nothing to keep elsewhere yet')
  await keep(head, place, signal)
  return head
}

/** The end of the log, if it is another one than the last time. */
async function newHead(api: Api, last?: string): Promise<SignedHead | undefined> {
  const { head } = await api.ask('/audit/head')
  const signed = head ? signedIn(JSON.stringify(head)) : undefined
  return signed?.hash === last ? undefined : signed
}

function keep(head: SignedHead, place: WitnessPlace, signal: AbortSignal): Promise<void> {
  return keepHead(head, place, signal).catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw place.kind === 'url' ? unreachable(why, thrown) : new Trouble(why, exitCodes.failed, { cause: thrown })
  })
}

function show({ sequence, hash }: SignedHead, { json, print, printJson }: Terminal): void {
  if (json) printJson({ sequence, hash } satisfies JsonObject)
  else print(`The witness has record ${sequence} of the log: ${sequence}:${hash}`)
}
