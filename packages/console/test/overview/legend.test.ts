// The legends of the charts, for calls in the past.
import { expect, it } from 'vitest'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'

const steps = 360
/** One value in a single step, and another value in all others. */
const once = <T, R>(value: T, rest: R, step = 200): (T | R)[] =>
  Array.from({ length: steps }, (_, at) => (at === step ? value : rest))
const none = once(0, 0)

inBrowser('the legend of a chart', () => {
  it('sums up all steps, shows the highest latency, and shows a single step under the pointer', async () => {
    const gateway = await place()
    const page = await enter(await visitor(), gateway)
    await page.route('**/stats?*', (route) => {
      const from = Math.floor(Date.now() / 10_000 - steps + 1) * 10_000
      const total = {
        calls: once(3, 1),
        errors: once(1, 0),
        refused: once(1, 0),
        limited: none,
        p50: once(4, 2),
        p95: once(101_000, 3),
      }
      return route.fulfill({ json: { stepMs: 10_000, from, since: from, series: [], total, limits: [] } })
    })
    await page.reload()
    const legendOf = (name: string) =>
      page.getByRole('region', { name, exact: true }).getByRole('button', { pressed: true }).allInnerTexts()
    await page.getByRole('region', { name: 'Latency' }).getByText('with waits for approval').waitFor()
    expect((await legendOf('Errors')).map(joined)).toEqual(['errors 1'])
    expect((await legendOf('Refusals')).map(joined)).toEqual(['by a limit 0', 'by a rule or otherwise 1'])
    expect((await legendOf('Latency')).map(joined)).toEqual(['median (p50) 4 ms', 'p95 1:41'])
    await page
      .locator('.chart .u-over')
      .first()
      .hover({ position: { x: 5, y: 50 } })
    await expect.poll(async () => (await legendOf('Errors')).map(joined)).toEqual(['errors 0'])
  })
})

const joined = (text: string): string => text.trim().replace(/\s+/g, ' ')
