// The time until the page can be used, and the recovery of the page after an absence of the gateway.
import type { Page } from 'playwright-core'
import { it } from 'vitest'
import { client } from '../../../gateway/test/support/running-gateway.js'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { inBrowser, newcomer } from '../browser.js'
import { enter, place } from '../gateway.js'

/** Milliseconds from the last byte of the document until the view is shown and the page is idle. */
async function untilUsable(page: Page): Promise<number> {
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.locator('.figures, .charts').first().waitFor()
  return page.evaluate(() => {
    const { usableAt = Number.POSITIVE_INFINITY } = globalThis as { usableAt?: number }
    const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[] // of this type
    return usableAt - (document?.responseEnd ?? 0)
  })
}

/** Records when the heading of a view exists, at the end of the task that added it. */
function note(): void {
  const look = new MutationObserver(() => {
    if (!document.querySelector('main h1')) return
    look.disconnect()
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => Object.assign(globalThis, { usableAt: performance.now() })
    port2.postMessage(undefined)
  })
  look.observe(document, { childList: true, subtree: true })
}

inBrowser('the first view', () => {
  it('can be used within 300 ms after the document has arrived', async () => {
    const gateway = await place()
    const person = await newcomer()
    await person.context.addInitScript(note)
    const page = await enter(person, gateway)
    const times: number[] = []
    for (let tries = 0; tries < 12 && Math.min(...times) > 300; tries++) times.push(await untilUsable(page))
    expectWithin(Math.min(...times), 300)
  })
})

inBrowser('a page that stays open during a restart of its gateway', () => {
  it('says that the connection is lost, then reconnects by itself and shows new calls', async () => {
    const gateway = await place()
    const person = await newcomer()
    person.allow(/^console: .*net::ERR_/)
    const page = await enter(person, gateway)
    await page.goto(`${gateway.home}/#/live`)
    await page.getByText('No finished calls yet').waitFor()
    await page.getByRole('button', { name: 'Restart notes' }).waitFor()
    const notice = page.getByText('The gateway does not answer, so this page may be out of date')
    await gateway.close({ drainMs: 0 })
    await notice.waitFor()
    // The message about the new connection disappears soon.
    const [next] = await Promise.all([gateway.again(), page.getByText('Connected again').waitFor()])
    await notice.waitFor({ state: 'detached' })
    const one = await client(next.url)
    await one.call('notes__read')
    const row = page.getByRole('grid', { name: 'Finished calls' }).getByText('notes__read')
    await row.waitFor()
    await page.goto(`${gateway.home}/#/audit`)
    await page.getByRole('grid', { name: 'Calls in the log' }).getByText('notes__read').waitFor()
  })
})
