// A thousand calls a second, and the events of an hour within a minute: the page stays responsive, and its memory stays bounded.
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import type { EventFeed } from '../../../gateway/src/monitoring/event-feed.js'
import { expectAfter, howMany } from '../../../toolwire/test/soak.js'
import { inBrowser, newcomer } from '../browser.js'
import { enter, place } from '../gateway.js'
import { turnTo } from '../views.js'
import { flood } from './flood.js'
import { expectResponsive, watchKeys } from './responsive.js'

const finished = (page: Page) => page.getByRole('region', { name: 'Finished calls' })

inBrowser('a flood of a thousand calls a second', () => {
  it('is counted on every view, and does not delay typing', async () => {
    const gateway = await place()
    const page = await enter(await newcomer(), gateway)
    await page.goto(`${gateway.home}/#/live`)
    await finished(page).waitFor()
    const began = performance.now()
    const many = flood(gateway.control.events, { second: 1_000 })
    try {
      await page.getByText('Too many calls at once').waitFor()
      await watchKeys(page)
      await finished(page).getByRole('searchbox').focus()
      await expectResponsive(page, [...'files and'])
      expect(await finished(page).getByRole('searchbox').inputValue()).toContain('files and')
      for (const view of ['', 'approvals', 'audit']) {
        await turnTo(page, view)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await expectResponsive(page, ['Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab'])
      }
      expectAfter((many.made * 1_000) / (performance.now() - began), 900)
    } finally {
      many.stop()
    }
  })
})

/** Sends the events of a busy hour one by one, as fast as the page handles them. */
async function calls(events: EventFeed, page: Page, { from, to }: { readonly from: number; readonly to: number }): Promise<void> {
  for (let call = from; call < to; call++) {
    const about = { call, tool: `files__tool_${call}`, server: 'files', caller: `caller ${call % 50}` }
    events.add('call', {
      what: 'begun',
      ...about,
      at: Date.now(),
      arguments: { path: `/some/where/${call}`, text: 'words '.repeat(50) },
    })
    events.add('call', { what: 'progress', ...about, progress: 1, total: 2, message: `half of ${call}` })
    events.add('call', { what: 'ended', ...about, at: Date.now(), outcome: call % 9 ? 'ok' : 'error', ms: call % 300 })
    if (call % 20 === 0) events.add('approval', { what: 'asked', id: `a${call}`, ...about })
    if (call % 20 === 10) events.add('approval', { what: 'over', id: `a${call - 10}`, state: 'expired', ...about })
    if (call % 500 === 499) await waitForCall(page, call)
  }
}

/** Waits until the page shows this call or a later one. */
const waitForCall = (page: Page, call: number): Promise<unknown> =>
  page.waitForFunction((last) => {
    const newest = document.querySelector('.finished [role="row"][aria-rowindex="2"]')?.textContent ?? ''
    return Number(/files__tool_(\d+)/.exec(newest)?.[1] ?? -1) >= last
  }, call)

const bytes = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  for (let times = 0; times < 3; times++) await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}

/** Warnings of Node about listeners that are never removed. */
function listenerWarnings(): readonly string[] {
  const noted: string[] = []
  const note = ({ name, message }: Error) => name === 'MaxListenersExceededWarning' && noted.push(message)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  return noted
}

inBrowser('an hour of a busy gateway', () => {
  it('takes no more memory than its first minutes', async () => {
    const noted = listenerWarnings()
    const gateway = await place()
    const page = await enter(await newcomer(), gateway)
    await page.goto(`${gateway.home}/#/live`)
    await finished(page).waitFor()
    const { events } = gateway.control
    await calls(events, page, { from: 0, to: 4_000 })
    const before = await bytes(page)
    await calls(events, page, { from: 4_000, to: howMany(12_000, 36_000) })
    await expect.poll(() => finished(page).getByRole('row').count()).toBeLessThan(100)
    const after = await bytes(page)
    expect(noted).toEqual([])
    expect(after - before).toBeLessThan(1.5 * 1_024 * 1_024)
  })
})
