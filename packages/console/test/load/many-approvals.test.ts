// Ten thousand pending approvals: the first ones are shown at once, and moving through them is fast.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { asked } from '../../../gateway/test/support/approval-requests.js'
import { folder, storeIn } from '../../../gateway/test/support/running-gateway.js'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'
import { askFrom, keyOf } from '../requests.js'
import { expectResponsive, quickest, watchKeys } from './responsive.js'

const calls = howMany(500, 10_000)

inBrowser(`${calls} pending calls`, () => {
  it('are loaded within 300 ms, are shown within a second, and keep the page responsive', async () => {
    const dataDir = join(folder(), 'data')
    const store = await storeIn(dataDir)
    const expiresAt = Date.now() + 3_600_000
    const many = Array.from({ length: calls }, (_, at) =>
      asked({ tool: { name: `tool ${at % 60}`, definitionHash: 'sha256:0' }, caller: `caller ${at % 40}`, expiresAt }),
    )
    await Promise.all(many.map((one) => store.approvals.add(one, 10_000)))
    const gateway = await place({ dataDir, options: { store } })
    const page = await enter(await visitor(), gateway)
    const key = await keyOf(page)
    const loaded = await quickest(5, async () => {
      const { body } = await askFrom(page, '/api/v1/approvals?limit=50', { key })
      expect(body.total).toBe(calls)
    })
    expectWithin(loaded, 300)
    const shown = await quickest(4, async () => {
      await page.goto(`${gateway.home}/#/approvals`)
      await page.locator('.pending-call').waitFor()
      await page.goto(`${gateway.home}/#/policy`)
      await page.getByRole('heading', { name: 'Policy', exact: true }).waitFor()
    })
    expectWithin(shown, 1_000)
    await page.goto(`${gateway.home}/#/approvals`)
    await page.locator('.pending-call').waitFor()
    await watchKeys(page)
    await expectResponsive(page, ['j', 'j', 'k', 'j', 'j', 'k', 'j', 'j', 'j', 'k'])
  })
})
