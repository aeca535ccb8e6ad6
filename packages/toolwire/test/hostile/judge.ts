// Compares the outcome of a fault with the expected reaction.
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { CallFailure } from '../../src/client/errors.js'
import { isObject } from '../../src/json.js'
import { expectWithin } from '../soak.js'
import { pause, type Shows } from './fault.js'
import { goodCalls, type Outcome, type Played } from './fault-runner.js'

const blockMs = 150
const grownMiB = 32
/** The log of the server and the end of child processes may be delayed. */
const settleMs = 30_000

export async function judge(shows: Shows, played: Played): Promise<void> {
  judgeOutcome(shows, played.outcome)
  judgeTally(shows, played)
  if (played.afterwards) expect(summary(played.afterwards), 'the next call').toBe('still here')
  expect(await settled(() => misseen(shows, played.seen()))).toEqual([])
  expect(await settled(() => alive(played.seen()))).toEqual([])
  expect(played.good).toBe(goodCalls)
  expectWithin(played.watched.blockMs, blockMs, 'longest block of the event loop in ms')
  expect(played.watched.grownMiB, 'growth of memory in MiB').toBeLessThanOrEqual(grownMiB)
}

function judgeOutcome(shows: Shows, outcome: Outcome): void {
  if (shows.fails !== undefined) expect(summary(outcome)).toBe(shows.fails)
  else if ('gives' in shows) expect(summary(outcome)).toEqual(shows.gives)
  if (shows.status !== undefined) expect(outcome.thrown).toMatchObject({ status: shows.status })
  if (shows.retryAfterMs !== undefined) expect(outcome.thrown).toMatchObject({ retryAfterMs: shows.retryAfterMs })
  if (shows.withinMs !== undefined) expectWithin(outcome.ms, shows.withinMs)
}

function judgeTally({ warns, progress, asked }: Shows, { tally, outcome }: Played): void {
  if (warns) expect(tally.warnings.join('\n')).toMatch(warns)
  if (progress) {
    expect(tally.progress.length).toBeLessThanOrEqual(2 + (progress.perSecond * outcome.ms) / 1_000)
    expect(tally.progress.at(-1)?.progress ?? 0).toBe(progress.last)
  }
  if (asked) {
    expect(tally.asked).toBeGreaterThanOrEqual(asked[0])
    expect(tally.asked).toBeLessThanOrEqual(asked[1])
  }
}

/** The code or the name of an error, the text of a result, or the value itself. */
function summary({ value, thrown }: Outcome): unknown {
  if (thrown instanceof CallFailure) return thrown.code
  if (thrown instanceof Error) return thrown.name === 'Error' ? thrown.message : thrown.name
  if (!isObject(value) || !Array.isArray(value.content)) return value
  return value.content.map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : '')).join('')
}

function misseen({ seen = {} }: Shows, words: readonly string[]): string[] {
  return Object.entries(seen).flatMap(([word, times]) => {
    const count = words.filter((one) => one === word).length
    const [from, to] = typeof times === 'number' ? [times, times] : times
    return count < from || count > to ? [`${word}: ${count} times, not ${from === to ? from : `${from} to ${to}`}`] : []
  })
}

/** Processes that the server started, or the server itself, that are still running. */
function alive(words: readonly string[]): string[] {
  return words.filter((word) => word.startsWith('pid ') && isAlive(Number(word.slice(4))))
}

/** Zombies do not count. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !(existsSync('/proc/self/stat') && readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return false
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH') return false
    throw thrown
  }
}

/** Returns no complaints as soon as there are none, or the remaining ones after a timeout. */
async function settled(complaints: () => string[]): Promise<string[]> {
  for (const end = Date.now() + settleMs; Date.now() < end; await pause(15)) if (complaints().length === 0) return []
  return complaints()
}
