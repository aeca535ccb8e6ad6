import type { Measured } from './page.js'
import { Random } from './random.js'
import type { Road } from './roads.js'

/** Limits that no untrusted input may exceed. */
export const promise = { blockMs: 150, growthMiB: 32 } as const

const mebibyte = 1024 * 1024

export async function measureRoad(
  road: Road,
  { size, seed, seconds }: { readonly size: number; readonly seed: number; readonly seconds: number },
): Promise<Measured> {
  const about = { subject: road.subject, name: road.name }
  try {
    const { blockMs, growthBytes } = await road.run({ size, seconds, random: new Random(seed) })
    // A character takes one or two bytes in memory.
    const own = 2 * size * (road.messages ?? 1)
    const growthMiB = Math.max(0, growthBytes - own) / mebibyte
    return { ...about, blockMs, growthMiB, holds: blockMs <= promise.blockMs && growthMiB <= promise.growthMiB }
  } catch (thrown) {
    const failure = thrown instanceof Error ? thrown.message : String(thrown)
    return { ...about, blockMs: Number.NaN, growthMiB: Number.NaN, holds: false, failure }
  }
}
