// After a load that has failed, a view keeps its values and says how old they are.
import { expect, it } from 'vitest'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'

/** A view, the part of the API that fails, and the beginning of the message about it. */
const loads = [
  ['', 'stats?*', 'The numbers'],
  ['', 'status', 'The state of the log'],
  ['', 'approvals?*', 'The pending calls'],
  ['', 'servers', 'The servers'],
  ['exposed', 'tools', 'The tools'],
  ['live', 'calls', 'The running calls'],
  ['approvals?show=always', 'grants', 'The standing approvals'],
  ['approvals?show=decided', 'approvals?*', 'Past decisions'],
  ['audit/1', 'audit/1', 'The record'],
  ['policy', 'policy', 'The rules'],
  ['setup', 'servers', 'The servers'],
  ['setup?show=keys', 'keys', 'The keys'],
] as const

inBrowser('values that could not be loaded again', () => {
  it('stay, with their age, until they are loaded', async () => {
    const gateway = await place()
    const person = await visitor()
    person.allow(/^console: .*status of 500/)
    const page = await person.tab(gateway.home)
    // Each stream ends at once, and the page loads everything again after the next one has begun.
    await page.route('**/api/v1/events', (route) => route.fulfill({ contentType: 'text/event-stream', body: ': alive\n\n' }))
    await enter(person, gateway)
    for (const [view, path, what] of loads) {
      await page.goto(`${gateway.home}/#/${view}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expect.poll(() => page.locator('main .loading').count()).toBe(0)
      const before = await page.locator('main').innerText()
      expect([view, before.includes('could not be')]).toEqual([view, false])
      const pattern = `**/api/v1/${path}`
      await page.route(pattern, (route) => route.fulfill({ status: 500, json: { error: 'The disk is full' } }))
      const alert = page
        .getByRole('alert')
        .filter({ hasText: `${what} could not be loaded again. The values of ` })
        .first()
      await alert.waitFor({ timeout: 20_000 }).catch(() => expect.fail(`no message in ${view} about ${path}`))
      expect(await alert.innerText()).toContain('The disk is full')
      await page.unroute(pattern)
      await alert.waitFor({ state: 'detached' })
    }
  })
})
