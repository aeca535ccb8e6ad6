// The time that a page takes to react to keys, measured by the browser itself.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { howMany, soaking } from '../../../toolwire/test/soak.js'

type Watched = { keys: number[]; tasks: number[] }

/** Records from now on the time from each key to the next frame, and the long tasks of the page. */
export async function watchKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    const watched: Watched = { keys: [], tasks: [] }
    Object.assign(globalThis, { watched })
    const keys = (list: PerformanceObserverEntryList) =>
      watched.keys.push(...list.getEntries().flatMap(({ name, duration }) => (name === 'keydown' ? [duration] : [])))
    const tasks = (list: PerformanceObserverEntryList) => watched.tasks.push(...list.getEntries().map(({ duration }) => duration))
    new PerformanceObserver(keys).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit) // the type lacks `durationThreshold`
    new PerformanceObserver(tasks).observe({ type: 'longtask' })
  })
}

const taken = (page: Page): Promise<Watched> =>
  page.evaluate(() => {
    const watched = (globalThis as unknown as { watched: Watched }).watched // set by `watchKeys`
    return { keys: watched.keys.splice(0), tasks: watched.tasks.splice(0) }
  })

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

export type Round = { readonly key: number; readonly task: number }

/** Presses keys. Returns the median time to a reaction, and the longest task meanwhile. */
async function round(page: Page, keys: readonly string[]): Promise<Round> {
  await taken(page)
  for (const key of keys) {
    await page.keyboard.press(key)
    await page.waitForTimeout(60)
  }
  const { keys: times, tasks } = await taken(page)
  // The browser reports no reaction within one frame.
  const quick = Array.from({ length: Math.max(0, keys.length - times.length) }, () => 16)
  return { key: median([...times, ...quick]), task: Math.max(0, ...tasks) }
}

/** Expects immediate reactions and short tasks in at least one of several rounds, because others use the machine too. */
export async function expectResponsive(page: Page, keys: readonly string[], { key = 100, task = 200 } = {}): Promise<void> {
  const rounds: Round[] = []
  for (let n = 0; n < 6; n++) {
    const now = await round(page, keys)
    if (!soaking || (now.key <= key && now.task <= task)) return
    rounds.push(now)
  }
  expect(rounds, `answers within ${key} ms, and no task of more than ${task} ms, in one round of six`).toEqual([])
}

/** The time of the fastest of several runs, in milliseconds. */
export async function quickest(times: number, act: () => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let n = 0; n < howMany(1, times); n++) {
    const began = performance.now()
    await act()
    all.push(performance.now() - began)
  }
  return Math.min(...all)
}
