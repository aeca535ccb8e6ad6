// Several tabs of one browser. Only one of the hidden tabs receives events.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { client, pending } from '../../../gateway/test/support/running-gateway.js'
import { hiddenMs } from '../../src/api/hidden-stream.js'
import { inBrowser, newcomer, type Visitor } from '../browser.js'
import { enter, type Place, place } from '../gateway.js'

const withProgress = { onProgress: () => undefined }
const patient = { timeout: 60_000 }

/** Simulates that the page's tab is hidden or visible. */
const hide = (page: Page, isHidden: boolean): Promise<void> =>
  page.evaluate((is) => {
    Object.defineProperty(document, 'hidden', { value: is, configurable: true })
    Object.defineProperty(document, 'hasFocus', { value: () => !is, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

/** Hides the page long enough that it shares its event stream. */
async function hideForLong(page: Page): Promise<void> {
  await hide(page, true)
  await page.clock.fastForward(hiddenMs)
}

/** Two tabs whose clock can be advanced. The first one is hidden, and has the stream. */
async function twoTabs(person: Visitor, gateway: Place): Promise<[first: Page, second: Page]> {
  await person.context.clock.install()
  const first = await enter(person, gateway)
  await first.getByText('No problems').waitFor()
  const second = await person.tab(gateway.home)
  await second.goto(gateway.home)
  await second.getByText('No problems').waitFor()
  await hideForLong(first)
  await expect.poll(() => second.evaluate(async () => (await navigator.locks.query()).held?.length), patient).toBe(1)
  return [first, second]
}

inBrowser('hidden tabs', () => {
  it('have a title without numbers if another tab has the stream', async () => {
    const gateway = await place()
    const [, second] = await twoTabs(await newcomer(), gateway)
    const call = (await client(gateway.url)).call('notes__write', { text: 'hi' }, withProgress)
    call.catch(() => undefined) // the call ends when its client closes
    await expect.poll(() => second.title(), patient).toBe('(1 to decide) Overview · Toolwire')
    await hideForLong(second)
    await expect.poll(() => second.title(), patient).toBe('Overview · Toolwire')
    await hide(second, false)
    await expect.poll(() => second.title(), patient).toBe('(1 to decide) Overview · Toolwire')
  })

  it('show notifications after another tab has enabled them', async () => {
    const gateway = await place()
    const person = await newcomer()
    await person.context.addInitScript(() => {
      const shown: string[] = []
      const close = () => undefined
      class FakeNotification {
        static permission = 'granted'
        close = close
        constructor(title: string) {
          shown.push(title)
        }
      }
      Object.assign(globalThis, { Notification: FakeNotification, shown })
    })
    const [first, second] = await twoTabs(person, gateway)
    await second.evaluate(() => localStorage.setItem('toolwire-notify', 'on'))
    const call = (await client(gateway.url)).call('notes__write', { text: 'hi' }, withProgress)
    call.catch(() => undefined) // the call ends when its client closes
    await pending(gateway)
    await expect.poll(() => first.evaluate('shown'), patient).toEqual(['notes__write needs your decision'])
  })
})
