// Every view on a phone, a laptop and a wide screen, with ordinary and with hostile text.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { defaultGuard } from '../../../gateway/src/config/gateway-config.js'
import { asked } from '../../../gateway/test/support/approval-requests.js'
import { ask, child, client, folder, until, upstreamConfig } from '../../../gateway/test/support/running-gateway.js'
import { append, intentOf, outcomeOf } from '../../../gateway/test/support/stores.js'
import { scene } from '../accessibility/scene.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, type Place, place } from '../gateway.js'
import { all, hostile, hostileName } from '../hostile/hostile-words.js'
import { teller } from '../hostile/teller.js'
import { goToView, type View, views } from '../views.js'
import { layoutErrors } from './boxes.js'

const widths = [390, 1_280, 2_200] as const
const operator = { authorization: 'Bearer the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd' }
const withProgress = { onProgress: () => undefined }

/** A gateway with long, odd or hostile text in every place where others can supply text. */
async function hostileScene(): Promise<{ readonly gateway: Place; readonly ways: readonly View[] }> {
  const policy = join(folder(), 'rules.json')
  const rules = all.map((text, at) => ({ name: `${at} ${text}`, when: { tool: `${at}` }, decision: 'deny', because: text }))
  writeFileSync(policy, JSON.stringify({ rules, default: 'allow' }))
  const guard = { ...defaultGuard, rate: false, lists: false, sanitize: false, pins: false } as const
  const lost = upstreamConfig('lost-and-never-found-again-for-ev', child(join('/nowhere', 'w'.repeat(120))))
  const callers = { loopback: true, apiKeys: true }
  const upstreams = [teller(), lost]
  const gateway = await place({
    upstreams: [teller()],
    policy,
    guard,
    callers,
    apiKey: 'the-operators-own-key-Zr4mQ8vK2sXw6TnB9cLd',
    sets: { [hostile('set')]: ['*'] },
  })
  await gateway.change({ ...gateway.config, upstreams })
  const { control } = gateway
  for (const [at, text] of [...all, 'w'.repeat(150)].entries()) {
    const fields = { at: Date.now(), tool: text, caller: text, server: text }
    await append(
      control.store,
      intentOf(at, { ...fields, arguments: { [text]: text } }),
      outcomeOf(at, { ...fields, outcome: 'error' }),
    )
    await control.store.approvals.add(
      asked({ caller: text, server: text, arguments: { [text]: text, more: [...all] }, expiresAt: Date.now() + 3_600_000 }),
      1_000,
    )
    await ask(gateway, '/keys', { body: { caller: text.slice(0, 200) || 'x', scopes: [text.slice(0, 200)] }, headers: operator })
  }
  const tool = control.tools().find(({ name }) => name.includes('shows'))?.name ?? ''
  const waits = control.tools().find(({ name }) => name.includes('waits'))?.name ?? ''
  const { body } = await ask(gateway, '/keys', { body: { caller: hostileName('caller') }, headers: operator })
  const one = await client(gateway.url, { headers: { authorization: `Bearer ${body.key}` } })
  for (let count = 0; count < 3; count++)
    one.call(waits, { [hostile('x')]: 'w'.repeat(300) }, withProgress).catch(() => undefined) // the gateway ends these calls
  await until(() => control.calls().length === 3)
  const [first] = (await ask(gateway, '/approvals', { headers: operator })).body.approvals as { id: string }[]
  return { gateway, ways: views(encodeURIComponent(tool), first?.id ?? '') }
}

/** Opens each view on each screen, and describes the errors of layout. */
async function errorsOn(page: Page, ways: readonly View[]): Promise<string[]> {
  const found: string[] = []
  for (const view of ways)
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await goToView(page, view)
      // A chart follows the width of its card one frame later.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      found.push(...(await layoutErrors(page)).map((what) => `${view.name} ${width}: ${what}`))
      const used = await page.evaluate(() => {
        const main = document.querySelector('main')?.getBoundingClientRect()
        const places = [...document.querySelectorAll('.view > *')].map((one) => one.getBoundingClientRect().right)
        return main ? (Math.max(...places) - main.left) / main.width : 0
      })
      if (used < 0.94) found.push(`${view.name} ${width}: only ${Math.round(100 * used)} % of the width are used`)
    }
  return found
}

inBrowser('every view on every screen', () => {
  it('uses the width, with nothing overlapping, cut off or outside the screen', async () => {
    const { gateway, ways } = await scene()
    const page = await enter(await visitor(), gateway)
    expect(await errorsOn(page, ways)).toEqual([])
  })

  it('has no errors of layout with long, odd or hostile text, either', async () => {
    const { gateway, ways } = await hostileScene()
    const person = await visitor()
    person.allow(/status of 404/)
    const page = await enter(person, gateway)
    expect(await errorsOn(page, ways)).toEqual([])
  })
})
