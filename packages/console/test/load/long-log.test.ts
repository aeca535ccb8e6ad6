// A log of a million records opens, searches and scrolls as fast as a short one.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { longLog } from '../../../gateway/test/support/long-log.js'
import { folder, storeIn } from '../../../gateway/test/support/running-gateway.js'
import { tamper } from '../../../gateway/test/support/tampered-log.js'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'
import { expectResponsive, quickest, watchKeys } from './responsive.js'

const records = howMany(20_000, 1_000_000)

/** Searches, and waits for the result. */
async function search(page: Page, label: string, words: string): Promise<string> {
  await page.getByRole('button', { name: 'Show all' }).click({ force: true })
  await page.getByLabel(label, { exact: true }).fill(words)
  // The previous result is shown until the request begins.
  const asked = page.waitForRequest((request) => [...new URL(request.url()).searchParams.values()].includes(words))
  await page.keyboard.press('Enter')
  await asked
  const ending = page.locator('.audit-end, .empty')
  await expect.poll(() => ending.allInnerTexts(), { interval: 20 }).toEqual([expect.stringMatching(/more|all|part|No call/)])
  return ending.innerText()
}

inBrowser(`a log of ${records} records`, () => {
  it('is shown, searched and scrolled without delay', async () => {
    const dataDir = join(folder(), 'data')
    await (await storeIn(dataDir)).close()
    tamper(dataDir, longLog(records))
    const gateway = await place({ dataDir })
    const page = await enter(await visitor(), gateway)
    const rows = page.getByRole('grid', { name: 'Calls in the log' }).getByRole('row')
    const shown = await quickest(3, async () => {
      await page.goto(`${gateway.home}/#/audit`)
      await rows.nth(5).waitFor()
      await page.goto(`${gateway.home}/#/policy`)
      await page.getByRole('heading', { name: 'Policy', exact: true }).waitFor()
    })
    expectWithin(shown, 1_000)
    await page.goto(`${gateway.home}/#/audit`)
    for (const [label, words] of [
      ['Caller', 'caller 7'],
      ['Tool', 'tool 8'],
      ['Anywhere in the record', `call-${records / 2 - 100}`],
    ] as const) {
      const found = await quickest(3, async () => expect(await search(page, label, words)).toMatch(/\d call/))
      expectWithin(found, 2_000, words)
    }
    await page.getByRole('button', { name: 'Show all' }).click()
    await rows.nth(5).waitFor()
    const grid = page.getByRole('grid', { name: 'Calls in the log' })
    const count = async () => Number((await page.locator('.audit-end').innerText()).replaceAll(/\D/g, ''))
    for (let pages = 0; pages < 12; pages++) {
      const before = await count()
      await grid.press('End')
      await expect.poll(count, { interval: 20 }).toBeGreaterThan(before)
    }
    expect(await rows.count()).toBeLessThan(100)
    await watchKeys(page)
    await grid.focus()
    await expectResponsive(page, [
      'Home',
      'PageDown',
      'PageDown',
      'ArrowDown',
      'ArrowDown',
      'PageDown',
      'PageUp',
      'ArrowUp',
      'Home',
    ])
  })
})
