import { type Caller, isCrowd } from '../../../../tools/caller.js'
import type { HttpRefusal } from '../http-refusal.js'
import type { HttpLimits } from '../options.js'

export type StreamLimit = ReturnType<typeof streamLimit>

/** Limits open streams for changes, in total and for each known caller. Returns a function that releases the stream, or the refusal. */
export function streamLimit({ streams, streamsEach }: HttpLimits) {
  const each = new Map<string, number>()
  let all = 0
  return (caller: Caller): (() => void) | HttpRefusal => {
    const { id } = caller
    const own = each.get(id) ?? 0
    if (all >= streams) return tooMany(`${streams} streams are open already`)
    if (!isCrowd(caller) && own >= streamsEach) return tooMany(`${streamsEach} streams of this caller are open already`)
    all++
    each.set(id, own + 1)
    return () => {
      all--
      const left = (each.get(id) ?? 0) - 1
      if (left > 0) each.set(id, left)
      else each.delete(id)
    }
  }
}

const tooMany = (message: string): HttpRefusal => ({ status: 429, message, code: 429, headers: { 'retry-after': '5' } })
