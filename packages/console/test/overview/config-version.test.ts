// A replica that follows the config in its database shows its version, and a warning if that version is out of date.
import { expect, it } from 'vitest'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'

inBrowser('the overview', () => {
  it('shows the version of the config in force, and the newest version', async () => {
    const gateway = await place()
    const page = await enter(await visitor(), gateway)
    const config = page.getByRole('region', { name: 'Config' })
    await page.getByRole('region', { name: 'Audit log' }).waitFor()
    expect(await config.count()).toBe(0)
    for (const [inForce, newest, words] of [
      [4, 4, 'newest version Version 4 is in force at this replica.'],
      [4, 6, 'not the newest version Version 4 is in force at this replica. The newest version in the database is 6.'],
      [0, 1, 'not the newest version No version is in force at this replica. The newest version in the database is 1.'],
    ] as const) {
      await page.unroute('**/status')
      await page.route('**/status', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, json: { ...(await response.json()), configVersion: { inForce, newest } } })
      })
      await page.reload()
      await config.waitFor()
      expect((await config.innerText()).replace(/\s+/g, ' ')).toBe(`Config ${words}`)
    }
  })
})
