import { homedir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from 'toolwire'
import { longestTimer } from '../../bounds/longest-timer.js'
import { parseWitnessLocation, type WitnessLocation } from '../../config/witness-location.js'
import { parseSignedHead, type SignedHead } from '../../store/audit/signed-head.js'
import { writeHead } from '../../store/witness/write-head.js'
import { type ApiClient, apiClientOf } from '../api/api-client.js'
import {
  CommandError,
  type CommandInput,
  exitCodes,
  optionText,
  type RunCommand,
  unreachableError,
  usageProblem,
} from '../command.js'
import { parseDuration } from '../output/time.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'

export const run: RunCommand = async (input, terminal) => {
  const place = witnessLocationFrom(input.operands[0] ?? '', input)
  const every = optionText(input, 'every')
  const everyMs = every === undefined ? undefined : parseDuration(every, '--every')
  const api = apiClientOf(input)
  let last: string | undefined
  do
    try {
      const head = await newHead(api, last)
      if (head) await keep(head, place, input.signal)
      else if (everyMs === undefined) throw new CommandError('The log is empty, so it has no head to copy yet')
      if (head) show(head, terminal)
      last = head?.hash ?? last
    } catch (thrown) {
      if (everyMs !== undefined && input.signal.aborted) return undefined
      // Other failures, such as an outage, may be gone the next time; a missing credential stays missing.
      const isFinal = !(thrown instanceof CommandError) || thrown.exitCode === exitCodes.refused
      if (everyMs === undefined || isFinal) throw thrown
      terminal.say(visibleTextLine(thrown.message))
    }
  while (everyMs !== undefined && (await passed(everyMs, input.signal)))
  return undefined
}

/** False if the command was stopped meanwhile, which is how it ends. */
const passed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  pause(Math.min(ms, longestTimer), true, { signal }).catch((thrown: unknown) => {
    if (signal.aborted) return false
    throw thrown
  })

export function witnessLocationFrom(text: string, { cwd }: Pick<CommandInput, 'cwd'>): WitnessLocation {
  try {
    return parseWitnessLocation(text, cwd, homedir())
  } catch (thrown) {
    throw usageProblem(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

/** The signed end of the log, if it has changed since the last call. */
async function newHead(api: ApiClient, last?: string): Promise<SignedHead | undefined> {
  const { head } = await api.request('/audit/head')
  const signed = head ? parseSignedHead(JSON.stringify(head)) : undefined
  return signed?.hash === last ? undefined : signed
}

function keep(head: SignedHead, place: WitnessLocation, signal: AbortSignal): Promise<void> {
  return writeHead(head, place, signal).catch((thrown: unknown) => {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    throw place.kind === 'url' ? unreachableError(why, thrown) : new CommandError(why, exitCodes.failed, { cause: thrown })
  })
}

function show({ sequence, hash }: SignedHead, { json, print, printJson }: Terminal): void {
  if (json) printJson({ sequence, hash } satisfies JsonObject)
  else print(`The witness now has head ${sequence} of the log: ${sequence}:${hash}`)
}
