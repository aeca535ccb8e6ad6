// How soon a page answers to keys, measured by the browser itself.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { howMany, soaking } from '../../../toolwire/test/soak.js'

type Watched = { keys: number[]; tasks: number[] }

/** Notes from now on how long it takes from each key to the next picture, and which tasks keep the page busy for long. */
export async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    const watched: Watched = { keys: [], tasks: [] }
    Object.assign(globalThis, { watched })
    const keys = (list: PerformanceObserverEntryList) =>
      watched.keys.push(...list.getEntries().flatMap(({ name, duration }) => (name === 'keydown' ? [duration] : [])))
    const tasks = (list: PerformanceObserverEntryList) => watched.tasks.push(...list.getEntries().map(({ duration }) => duration))
    new PerformanceObserver(keys).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit) // as browsers have it
    new PerformanceObserver(tasks).observe({ type: 'longtask' })
  })
}

const taken = (page: Page): Promise<Watched> =>
  page.evaluate(() => {
    const watched = (globalThis as unknown as { watched: Watched }).watched // put there above
    return { keys: watched.keys.splice(0), tasks: watched.tasks.splice(0) }
  })

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

export type Round = { readonly key: number; readonly task: number }

/** Presses keys for a while: the usual time to an answer, and the longest task meanwhile. */
async function round(page: Page, keys: readonly string[]): Promise<Round> {
  await taken(page)
  for (const key of keys) {
    await page.keyboard.press(key)
    await page.waitForTimeout(60)
  }
  const { keys: times, tasks } = await taken(page)
  // What was answered within a frame is not told.
  const quick = Array.from({ length: Math.max(0, keys.length - times.length) }, () => 16)
  return { key: median([...times, ...quick]), task: Math.max(0, ...tasks) }
}

/** What people take for an answer at once, and tasks that nobody notices: in the best of some rounds, as others use the machine too. */
export async function expectResponsive(page: Page, keys: readonly string[], { key = 100, task = 200 } = {}): Promise<void> {
  const rounds: Round[] = []
  for (let n = 0; n < 6; n++) {
    const now = await round(page, keys)
    if (!soaking || (now.key <= key && now.task <= task)) return
    rounds.push(now)
  }
  expect(rounds, `answers within ${key} ms, and no task of more than ${task} ms, in one round of six`).toEqual([])
}

/** Milliseconds of the quickest of several times. */
export async function quickest(times: number, act: () => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let n = 0; n < howMany(1, times); n++) {
    const began = performance.now()
    await act()
    all.push(performance.now() - began)
  }
  return Math.min(...all)
}
