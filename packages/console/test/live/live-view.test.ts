// The Live view during calls through a real gateway.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { child, client, folder, program, upstreamConfig, words } from '../../../gateway/test/support/running-gateway.js'
import { inBrowser, visitor } from '../browser.js'
import { enter, place } from '../gateway.js'

const patient = { timeout: 60_000 }
const steps = upstreamConfig('steps', child(join(import.meta.dirname, 'steps-server.mjs')), { trusted: true })
const notes = upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })

async function at(view: string) {
  const gateway = await place({ upstreams: [notes, steps], dataDir: join(folder(), 'data') })
  const one = await client(gateway.url)
  const page = await enter(await visitor(), gateway)
  await page.goto(`${gateway.home}/#/${view}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { gateway, one, page }
}

const runningCalls = (page: Page) => page.getByRole('region', { name: 'Running calls' })
const finishedCalls = (page: Page) => page.getByRole('region', { name: 'Finished calls' })

inBrowser('running calls', () => {
  it('show their caller, arguments and progress, also in the title of the tab, and move to the finished calls', async () => {
    const { one, page } = await at('live')
    const file = join(folder(), 'enough')
    const call = one.call('steps__count', { file })
    const row = runningCalls(page).getByRole('row').filter({ hasText: 'steps__count' })
    await row.waitFor(patient)
    expect(await row.textContent()).toContain(JSON.stringify({ file }))
    await expect.poll(() => row.getByRole('progressbar').getAttribute('value'), patient).toMatch(/^[1-9]/)
    await expect.poll(() => page.title(), patient).toMatch(/^\(1 running\)/)
    writeFileSync(file, '')
    expect(words(await call)).toMatch(/^counted to [1-9]/)
    await finishedCalls(page).getByRole('row').filter({ hasText: 'steps__count' }).getByText('ok').waitFor(patient)
    await expect.poll(() => page.title(), patient).toBe('Live · Toolwire')
  })

  it('CANC-011 are cancelled: the page shows it, the caller gets an error, and the list of finished calls has the outcome', async () => {
    const { one, page } = await at('live')
    const call = one.call('notes__slow', { ms: 60_000 }).then(
      (result) => result.isError === true,
      () => true,
    )
    const row = runningCalls(page).getByRole('row').filter({ hasText: 'notes__slow' })
    await row.getByRole('button', { name: /^Cancel/ }).click(patient)
    await page.getByText('notes__slow is cancelled').waitFor(patient)
    expect(await call).toBe(true)
    await finishedCalls(page).getByText('cancelled', { exact: true }).waitFor(patient)
  })
})

inBrowser('the stream of finished calls', () => {
  it('is filtered, paused and resumed, and links to the record of a call', async () => {
    const { one, page } = await at('live')
    await one.call('notes__read')
    await one.call('notes__pid')
    const rows = finishedCalls(page).getByRole('grid').getByRole('row')
    await expect.poll(() => rows.count(), patient).toBe(3)
    await finishedCalls(page).getByLabel('Tool, caller or server').fill('pid')
    await expect.poll(() => rows.count(), patient).toBe(2)
    await finishedCalls(page).getByLabel('Tool, caller or server').fill('')
    await finishedCalls(page).getByRole('button', { name: 'Pause' }).click()
    await one.call('notes__read')
    await finishedCalls(page).getByRole('button', { name: 'Resume (1 new)' }).click(patient)
    await expect.poll(() => rows.count(), patient).toBe(4)
    await rows.nth(1).click()
    await page
      .getByRole('complementary', { name: /^Record/ })
      .getByText('"notes__read"')
      .waitFor(patient)
  })
})

inBrowser('a server', () => {
  it('is restarted from the page, as a new process', async () => {
    const { one, page } = await at('live')
    const before = words(await one.call('notes__pid'))
    await page.getByRole('button', { name: 'Restart notes' }).click()
    await page.getByText('notes was restarted.').waitFor(patient)
    expect(words(await one.call('notes__pid'))).not.toBe(before)
  })
})

inBrowser('after a restart of the gateway', () => {
  it('a newly opened page shows the earlier calls, and a page that stayed open shows the calls that it missed', async () => {
    const { gateway, one, page } = await at('live')
    await one.call('notes__read')
    await finishedCalls(page).getByText('notes__read').waitFor(patient)
    const person = await visitor()
    person.allow(/^console: .*net::ERR_/)
    const open = await enter(person, gateway)
    await open.goto(`${gateway.home}/#/live`)
    await finishedCalls(open).getByText('notes__read').waitFor(patient)
    await one.call('notes__pid')
    await expect.poll(() => finishedCalls(open).getByRole('row').count(), patient).toBe(3)
    await page.close()
    const next = await gateway.again()
    await finishedCalls(open).getByText('notes__read').waitFor(patient)
    const later = await enter(await visitor(), next)
    await later.goto(`${next.home}/#/live`)
    const rows = finishedCalls(later).getByRole('row')
    await expect.poll(() => rows.count(), patient).toBe(3)
    expect(await rows.allTextContents()).toEqual([
      expect.stringContaining('Tool'),
      expect.stringContaining('notes__pid'),
      expect.stringContaining('notes__read'),
    ])
    await (await client(next.url)).call('notes__pid')
    await expect.poll(() => rows.count(), patient).toBe(4)
    await later.goto(`${next.home}/#/`)
    await later
      .getByRole('listitem')
      .filter({ hasText: /^Calls3/ })
      .waitFor(patient)
  })
})

inBrowser('the overview', () => {
  it('counts calls, errors and pending approvals, in charts and in tables', async () => {
    const { one, page } = await at('')
    for (let at = 0; at < 3; at++) await one.call('notes__read')
    await one.call('steps__fail').catch(() => undefined)
    const waits = one.call('notes__write', { text: 'x' }).catch(() => undefined)
    const figure = (name: string) => page.getByRole('listitem').filter({ hasText: new RegExp(`^${name}`) })
    // The counts are per step, and the page loads the steps periodically.
    await expect.poll(() => figure('Calls').textContent()).toMatch(/^Calls4/)
    expect(await figure('Errors').textContent()).toMatch(/^Errors1/)
    // The chart leaves out the current step.
    await page.getByRole('combobox', { name: 'Time' }).selectOption({ label: 'Last 15 minutes' })
    await expect.poll(() => figure('To decide').textContent(), patient).toMatch(/^To decide1/)
    await page
      .getByRole('button', { name: /^Show as table/ })
      .first()
      .click()
    await page.getByRole('table').first().waitFor()
    expect(await page.getByRole('table').first().textContent()).toMatch(/3/)
    await page.getByRole('combobox', { name: 'Lines' }).selectOption({ label: 'By tool' })
    await page.getByText('notes__read').first().waitFor(patient)
    await page.getByRole('link', { name: 'To decide', exact: true }).click()
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor()
    await page.getByRole('button', { name: /^Deny/ }).first().waitFor(patient)
    // Closing the client cancels the pending call.
    await one.close()
    await waits
  })
})
