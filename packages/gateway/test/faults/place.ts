// A folder with a gateway in front of a server that notes each completed call.
import { type Program, programFolder, startProgram } from './built-program.js'
import { ReceivedAnswers } from './load.js'
import type { HttpPeer } from './peer.js'

export const settings = { guard: { rate: false, lists: false } }

export type Place = {
  readonly folder: string
  readonly received: ReceivedAnswers
  readonly done: () => readonly string[]
  readonly start: () => Promise<Program>
}

export function place(work: HttpPeer, name: string): Place {
  const folder = programFolder()
  const { target, notes } = work.plays('writes', 'per-request')
  const done = () => notes().flatMap((word) => (word.startsWith('done ') ? [word.slice(5)] : []))
  return {
    folder,
    received: new ReceivedAnswers(name),
    done,
    start: () => startProgram({ folder, servers: { work: target }, settings }),
  }
}
