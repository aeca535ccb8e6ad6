// The Exposed view, and the actions on it.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { defaultGuard } from '../../../gateway/src/config/gateway-config.js'
import { client, folder } from '../../../gateway/test/support/running-gateway.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'
import { turnTo } from '../views.js'
import { goToTool, library } from './library.js'

const namesOf = async (url: string) => (await (await client(url)).listTools()).map(({ name }) => name)

inBrowser('the tools that are exposed', () => {
  it('UX-002 are shown with what they take, who may call them, and what their server claims', async () => {
    const gateway = await place({ upstreams: [library()] })
    const page = await enter(await visitor(), gateway)
    await goToTool(page, 'echo')
    const detail = page.getByRole('article')
    for (const words of ['What to look for', 'at least 2 characters', 'Whole number, 1 to 100', 'Callers', 'Only reads'])
      await detail.getByText(words).first().waitFor()
    await page.getByRole('searchbox').fill('show everything')
    await expect.poll(() => page.locator('.tool-line').allInnerTexts()).toEqual(['library__show'])
  })

  it('are switched off, hidden and switched on again at once, for every caller', async () => {
    const gateway = await place({ upstreams: [library()] })
    const page = await enter(await visitor(), gateway)
    await goToTool(page, 'fail')
    expect(await namesOf(gateway.url)).toContain('library__fail')
    for (const [button, isListed] of [
      ['Off', false],
      ['On', true],
      ['Hidden', false],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.locator(`.state-choice [aria-pressed=true]`, { hasText: button }).waitFor()
      expect((await namesOf(gateway.url)).includes('library__fail')).toBe(isListed)
    }
  })

  it('are new, and stay hidden from callers until they are accepted; a refused tool stays hidden', async () => {
    const gateway = await place({ upstreams: [library()], guard: { ...defaultGuard, pins: 'strict' } })
    const page = await enter(await visitor(), gateway)
    await goToTool(page, 'show')
    await page.getByRole('button', { name: 'Accept this definition' }).click()
    await page.getByRole('button', { name: 'Accept this definition' }).waitFor({ state: 'detached' })
    await goToTool(page, 'fail')
    await page.getByRole('button', { name: 'Refuse this definition' }).click()
    await page.getByText('This definition was refused').waitFor()
    expect(await namesOf(gateway.url)).toEqual(['library__show'])
  })

  it('show the changes in their definition, with its hidden characters', async () => {
    const dataDir = join(folder(), 'data')
    const before = await place({ upstreams: [library()], dataDir })
    await before.close({ drainMs: 0 })
    const gateway = await place({ upstreams: [library('changed')], dataDir })
    const page = await enter(await visitor(), gateway)
    await goToTool(page, 'choose')
    const waiting = page.getByRole('region', { name: 'The definition has changed since it was accepted' })
    await waiting.getByText('⟨U+202E⟩').first().waitFor()
    await waiting.getByText('hidden text').waitFor()
    expect(await namesOf(gateway.url)).not.toContain('library__choose')
    // The button ignores clicks until the definition has been visible, unchanged, for a moment.
    const accept = waiting.getByRole('button', { name: 'Accept this definition' })
    let acceptances = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/pins/accept')) acceptances++
    })
    await accept.and(page.locator(':not([aria-disabled])')).waitFor()
    await page.evaluate(() => {
      Object.defineProperty(document, 'hasFocus', { value: () => false, configurable: true })
      dispatchEvent(new Event('blur'))
    })
    await accept.and(page.locator('[aria-disabled]')).waitFor()
    await accept.dispatchEvent('click')
    await page.evaluate(() => {
      Reflect.deleteProperty(document, 'hasFocus')
      dispatchEvent(new Event('focus'))
    })
    expect(acceptances).toBe(0)
    await accept.click()
    await waiting.waitFor({ state: 'detached' })
    expect(acceptances).toBe(1)
    expect(await namesOf(gateway.url)).toContain('library__choose')
  })

  it('are accepted together, as they were shown, and the page reports a problem until then', async () => {
    const gateway = await place({ upstreams: [library()], guard: { ...defaultGuard, pins: 'strict' } })
    const page = await enter(await visitor(), gateway)
    await page.locator('.health', { hasText: /(One|\d+) problem/ }).waitFor()
    await turnTo(page, 'exposed')
    const kept = page.getByRole('region', { name: 'Withheld' })
    await kept.getByRole('button', { name: 'Accept all of library' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('library__show').click()
    await dialog.getByText('"inputSchema"').waitFor()
    await dialog.getByRole('button', { name: /^Accept these \d+ definitions$/ }).click()
    await kept.waitFor({ state: 'detached' })
    expect(await namesOf(gateway.url)).toContain('library__show')
    expect((await namesOf(gateway.url)).length).toBe(gateway.control.tools().length)
    await page.locator('.health', { hasText: 'No problems' }).waitFor()
  })
})
